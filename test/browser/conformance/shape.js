// Rows 1 to 7: the interface object.

/** What WebIDL makes of the members of the interface. */
function membersOf(idl) {
  const members = {};
  for (const { type, name, readonly, arguments: parameters } of idl.members) {
    if (type === 'attribute') {
      members[name] = {
        kind: 'accessor', getter: `get ${name}`, hasSetter: !readonly, enumerable: true, configurable: true,
      };
    } else if (type === 'operation') {
      members[name] = {
        kind: 'value', type: 'function', name, length: parameters.filter((p) => !p.optional).length,
        writable: true, enumerable: true, configurable: true,
      };
    }
  }
  return members;
}

export default [
  {
    row: 1,
    title: 'the interface object is what WebIDL makes of the IDL',
    page() {
      const { value, ...global } = Object.getOwnPropertyDescriptor(globalThis, 'Profiler');
      const { value: prototype, ...ofPrototype } = Object.getOwnPropertyDescriptor(Profiler, 'prototype');
      return {
        global, ofPrototype, type: typeof value, name: Profiler.name, length: Profiler.length,
        own: Object.getOwnPropertyNames(Profiler).sort(),
        nameDescriptor: Object.getOwnPropertyDescriptor(Profiler, 'name'),
        lengthDescriptor: Object.getOwnPropertyDescriptor(Profiler, 'length'),
        inherits: Object.getPrototypeOf(Profiler) === EventTarget,
        prototypeInherits: Object.getPrototypeOf(prototype) === EventTarget.prototype,
        inKeys: Object.keys(globalThis).includes('Profiler'),
      };
    },
    check(seen, { idl }) {
      const constructor = idl.members.find(({ type }) => type === 'constructor');
      expect(idl.inheritance).toBe('EventTarget');
      const { length } = constructor.arguments.filter((parameter) => !parameter.optional);
      const fixed = { writable: false, enumerable: false, configurable: true };
      expect(seen).toEqual({
        global: { writable: true, enumerable: false, configurable: true },
        ofPrototype: { writable: false, enumerable: false, configurable: false },
        type: 'function', name: idl.name, length, own: ['length', 'name', 'prototype'],
        nameDescriptor: { value: idl.name, ...fixed }, lengthDescriptor: { value: length, ...fixed },
        inherits: true, prototypeInherits: true, inKeys: false,
      });
    },
  },
  {
    row: 2,
    title: 'the prototype has exactly the members of the IDL',
    page() {
      const members = {};
      for (const name of Object.getOwnPropertyNames(Profiler.prototype)) {
        const { value, get, set, ...flags } = Object.getOwnPropertyDescriptor(Profiler.prototype, name);
        members[name] = get || set
          ? { kind: 'accessor', getter: get.name, hasSetter: set !== undefined, ...flags }
          : { kind: 'value', type: typeof value, name: value.name, length: value.length, ...flags };
      }
      const symbols = Object.getOwnPropertySymbols(Profiler.prototype);
      const profiler = new Profiler(OPTIONS);
      profiler.stop();
      return {
        members, symbols: symbols.map(String),
        tag: Object.getOwnPropertyDescriptor(Profiler.prototype, Symbol.toStringTag),
        text: String(profiler), own: Reflect.ownKeys(profiler).map(String),
        inFor: (() => { const keys = []; for (const key in profiler) keys.push(key); return keys; })()
          .filter((key) => !(key in EventTarget.prototype)).sort(),
        functions: ['stop', 'sampleInterval', 'stopped'].map((name) => {
          const { value, get } = Object.getOwnPropertyDescriptor(Profiler.prototype, name);
          const f = value || get;
          return [Object.getPrototypeOf(f) === Function.prototype, 'prototype' in f,
            Object.prototype.toString.call(f), thrown(() => Reflect.construct(Object, [], f))].join();
        }),
        assignment: thrown(() => { 'use strict'; profiler.stopped = false; }),
      };
    },
    check(seen, { idl }) {
      const members = membersOf(idl);
      const hidden = { writable: true, enumerable: false, configurable: true };
      expect(seen.members).toEqual({
        ...members,
        constructor: { kind: 'value', type: 'function', name: idl.name, length: 1, ...hidden },
      });
      expect(seen.symbols).toEqual(['Symbol(Symbol.toStringTag)']);
      expect(seen.tag).toEqual({ value: idl.name, writable: false, enumerable: false, configurable: true });
      expect(seen.text).toBe('[object Profiler]');
      expect(seen.own).toEqual([]);
      expect(seen.inFor).toEqual(Object.keys(members).sort());
      expect(seen.functions).toEqual(Array(3).fill('true,false,[object Function],TypeError'));
      expect(seen.assignment).toBe('TypeError');
    },
  },
  {
    row: 3,
    title: 'there is no handler attribute',
    page() {
      const profiler = new Profiler(OPTIONS);
      profiler.stop();
      return 'onsamplebufferfull' in profiler;
    },
    check(seen) {
      expect(seen).toBe(false);
    },
  },
  {
    row: 4,
    title: 'a call without new throws',
    page() {
      return [thrown(() => Profiler(OPTIONS)), thrown(() => Profiler.call({}, OPTIONS)),
        thrown(() => Profiler.call(Object.create(Profiler.prototype), OPTIONS))];
    },
    check(seen) {
      expect(seen).toEqual(['TypeError', 'TypeError', 'TypeError']);
    },
  },
  {
    row: 5,
    title: 'getters throw on wrong receivers, stop() rejects',
    async page() {
      const live = new Profiler(OPTIONS);
      const wrong = [undefined, null, {}, 1, 'x', Profiler.prototype, Profiler, new EventTarget(),
        Object.create(live), new Proxy(live, {}), globalThis];
      const getter = (name) => Object.getOwnPropertyDescriptor(Profiler.prototype, name).get;
      const getters = wrong.flatMap((receiver) => ['sampleInterval', 'stopped'].map((name) =>
        thrown(() => getter(name).call(receiver))));
      const stops = [];
      for (const receiver of wrong) {
        let promise;
        const sync = thrown(() => { promise = Profiler.prototype.stop.call(receiver); });
        stops.push([sync, promise instanceof Promise, await rejection(promise)].join());
      }
      const alive = live.stopped === false && getter('stopped').call(live) === false;
      await live.stop();
      return { getters, stops, alive };
    },
    check(seen) {
      expect(new Set(seen.getters)).toEqual(new Set(['TypeError']));
      expect(new Set(seen.stops)).toEqual(new Set(['nothing,true,TypeError']));
      expect(seen.alive).toBe(true);
    },
  },
  {
    row: 5,
    title: 'a Profiler of another realm is a receiver like any other',
    async page(env) {
      const iframe = await addFrame(`${env.base}frame.html`);
      const their = iframe.contentWindow;
      const of = (P, name) => Object.getOwnPropertyDescriptor(P.prototype, name).get;
      const both = [];
      for (const [Mine, Other] of [[Profiler, their.Profiler], [their.Profiler, Profiler]]) {
        const profiler = new Mine({ sampleInterval: 20, maxBufferSize: 1000 });
        const seen = [of(Other, 'sampleInterval').call(profiler), of(Other, 'stopped').call(profiler)];
        const trace = await Other.prototype.stop.call(profiler);
        seen.push(Object.keys(trace).join(), trace.samples.length > 0, of(Mine, 'stopped').call(profiler));
        const again = await rejection(Other.prototype.stop.call(profiler));
        both.push([...seen, again, await rejection(profiler.stop())].join());
      }
      const theirs = new their.Profiler(OPTIONS);
      const fakes = [their.Profiler.prototype, their, new their.EventTarget(), Object.create(theirs)];
      const refused = [];
      for (const fake of fakes) {
        refused.push(thrown(() => of(Profiler, 'stopped').call(fake)));
        refused.push(await rejection(Profiler.prototype.stop.call(fake)));
      }
      await theirs.stop();
      iframe.remove();
      return { both, refused };
    },
    check(seen) {
      const { both, refused } = seen;
      const one = '20,false,frames,resources,samples,stacks,true,true' +
        ',DOMException InvalidStateError,DOMException InvalidStateError';
      expect(both).toEqual([one, one]);
      expect(new Set(refused)).toEqual(new Set(['TypeError']));
    },
  },
  {
    row: 5,
    title: 'where a window of another origin is around this one, the members work on profilers of their own',
    only: (target) => !target.isNative,
    async page(env) {
      const answer = new Promise((resolve) => { addEventListener('message', ({ data }) => resolve(data)); });
      const iframe = await addFrame(`${env.otherOrigin}/plain/embedded.html`);
      const seen = await answer;
      iframe.remove();
      return seen;
    },
    files: {
      'embedded.html': ({ polyfill }) => `<!doctype html>${polyfill}<script src="embedded.js"></script>`,
      'embedded.js': `
        const profiler = new Profiler({ sampleInterval: 20, maxBufferSize: 10 });
        const seen = [profiler.sampleInterval, profiler.stopped];
        profiler.stop().then(({ samples }) => {
          parent.postMessage([...seen, profiler.stopped, samples.length > 0].join(), '*');
        });`,
    },
    check(seen) {
      expect(seen).toBe('20,false,true,true');
    },
  },
  {
    row: 6,
    title: 'it can be extended and takes events like any EventTarget',
    async page() {
      class Mine extends Profiler {
        constructor(sampleInterval) {
          super({ sampleInterval, maxBufferSize: 10 });
          this.own = 1;
        }

        get double() { return this.sampleInterval * 2; }
      }
      const mine = new Mine(20);
      const heard = [];
      mine.addEventListener('hello', (event) => { heard.push(event.target === mine, event.type); });
      mine.dispatchEvent(new Event('hello'));
      function Old() {}
      Old.prototype = Object.create(Profiler.prototype);
      const old = Reflect.construct(Profiler, [OPTIONS], Old);
      const result = {
        heard, own: mine.own, double: mine.double, interval: mine.sampleInterval,
        is: [mine instanceof Mine, mine instanceof Profiler, mine instanceof EventTarget,
          old instanceof Old, old.stopped === false],
        name: Mine.name,
      };
      const traces = await Promise.all([mine.stop(), old.stop()]);
      return { ...result, traces: traces.map((trace) => Object.keys(trace).join()) };
    },
    check(seen) {
      expect(seen).toEqual({
        heard: [true, 'hello'], own: 1, double: 40, interval: 20, is: Array(5).fill(true), name: 'Mine',
        traces: Array(2).fill('frames,resources,samples,stacks'),
      });
    },
  },
];
