// Inside a wrapped worker (js/workers.js): makes the global look as if the worker's own script had
// started it, whose URL is not the one that the browser knows.
//
// `location` tells the script's URL, and relative URLs are resolved against it. All is wrapped by
// proxies, which look and throw as what they wrap.

const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const NativeURL = URL;
const NativeProxy = Proxy;

/** Replaces a part (value or get) of a property of `target` or of what it inherits from. */
function replace(target, key, part, make) {
  while (target && !getOwnPropertyDescriptor(target, key)) target = getPrototypeOf(target);
  if (!target) return; // the browser has none
  const descriptor = getOwnPropertyDescriptor(target, key);
  const replacement = new NativeProxy(descriptor[part], { __proto__: null, ...make });
  defineProperty(target, key, { __proto__: null, ...descriptor, [part]: replacement });
}

/** What `location` tells is that of a URL. */
function relocate(url) {
  for (const key of Object.getOwnPropertyNames(WorkerLocation.prototype)) {
    const value = key === 'toString' ? url.href : url[key];
    if (typeof value !== 'string') continue;
    replace(WorkerLocation.prototype, key, key === 'toString' ? 'value' : 'get', {
      apply(native, self, args) {
        apply(native, self, args); // throws for what is no location
        return value;
      },
    });
  }
}

/** Resolves relative URLs where the browser takes the global's. */
function rebase(base) {
  const resolve = (url) => {
    if (typeof url !== 'string') return url;
    try {
      return new NativeURL(url, base).href;
    } catch {
      return url; // for the browser to refuse
    }
  };
  const resolveAt = (args, index) => {
    if (index < args.length) args[index] = resolve(args[index]);
    return args;
  };
  const wrapMethod = (owner, key, change) => replace(owner, key, 'value', {
    apply: (native, self, args) => apply(native, self, change(args)),
  });
  const first = (args) => resolveAt(args, 0);

  wrapMethod(self, 'importScripts', (args) => {
    for (let i = 0; i < args.length; i++) resolveAt(args, i);
    return args;
  });
  wrapMethod(self, 'fetch', first);
  wrapMethod(self.Response, 'redirect', first);
  wrapMethod(self.XMLHttpRequest?.prototype, 'open', (args) => resolveAt(args, 1));
  wrapMethod(self.CacheStorage?.prototype, 'match', first);
  for (const key of ['match', 'matchAll', 'add', 'put', 'delete', 'keys']) {
    wrapMethod(self.Cache?.prototype, key, first);
  }
  wrapMethod(self.Cache?.prototype, 'addAll', (args) => {
    if (args[0]?.map) args[0] = args[0].map(resolve);
    return args;
  });
  for (const name of ['Request', 'EventSource', 'WebSocket', 'Worker']) {
    replace(self, name, 'value', {
      construct: (native, args, newTarget) => construct(native, first(args), newTarget),
    });
    if (self[name]) replaceConstructor(self[name]);
  }
}

function replaceConstructor(value) {
  const { prototype } = value;
  const descriptor = getOwnPropertyDescriptor(prototype, 'constructor');
  defineProperty(prototype, 'constructor', { __proto__: null, ...descriptor, value });
}

/** Makes `href` the URL of this global. */
export function pretend(href) {
  const url = new NativeURL(href);
  relocate(url);
  // Nothing is relative to blob: and data: URLs, whichever they are.
  if (/^http/.test(url.protocol)) rebase(url.href);
}
