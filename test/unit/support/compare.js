/**
 * Runs a program plain and instrumented, with every poll calling the handler and with none, and returns what
 * each run could observe.
 */
import vm from 'node:vm';
import { instrument } from '../../../js/instrument.js';
import { makeRealm, pollAlways, show } from './realm.js';

/** The error of a run. Messages of the engine quote code, which polls change. */
function describeError(error) {
  if (/is not a|is not iter|Cannot (?:read|set|destr)/.test(error?.message)) return error.name;
  return `${error?.name ?? typeof error}: ${error?.message ?? String(error)}`;
}

async function runIn(realm, code, sourceType, modules) {
  const entries = [];
  realm.log = (...values) => {
    entries.push(values.map((value) => show(value)).join(' '));
    return values[0];
  };
  realm.tick = () => new Promise((resolve) => { setTimeout(resolve, 0); });
  let result;
  try {
    if (sourceType === 'module') result = await runModule(realm, code, modules);
    else if (sourceType === 'commonjs') result = runCommonJs(realm, code);
    else result = vm.runInContext(code, realm);
    entries.push('result ' + show(result));
  } catch (error) {
    entries.push('threw ' + describeError(error));
  }
  // What is still going on: promise jobs, and timers of a few turns.
  for (let turn = 0; turn < 4; turn++) await realm.tick();
  entries.push('globals ' + Object.keys(realm).sort().join());
  return entries;
}

async function runModule(realm, code, modules) {
  const made = new Map();
  const make = (name, text) => {
    if (!made.has(name)) made.set(name, new vm.SourceTextModule(text, { context: realm, identifier: name }));
    return made.get(name);
  };
  const main = make('main', code);
  await main.link((specifier) => {
    if (specifier !== 'main' && !(specifier in modules)) throw new Error(`no module ${specifier}`);
    return specifier === 'main' ? main : make(specifier, modules[specifier]);
  });
  await main.evaluate();
  return { ...main.namespace };
}

function runCommonJs(realm, code) {
  const module = { exports: {} };
  const run = vm.compileFunction(code, ['module', 'exports', 'require'], { parsingContext: realm });
  return run.call(module.exports, module, module.exports) ?? module.exports;
}

/**
 * @param {string} code
 * @param {'script' | 'module' | 'commonjs'} [sourceType]
 * @param {Record<string, string>} [modules]  other modules by specifier, instrumented too; `main` is the code
 * @param {'high' | 'normal'} [precision]  'high' has more polls to go wrong
 * @returns {Promise<{ plain: string[], quiet: string[], polled: string[], calls: number, code: string }>}
 */
export async function observe(code, sourceType = 'script', modules = {}, precision = 'high') {
  const instrumentAs = (text) => instrument(text, { sourceType, precision, url: 'probe.js' }).code;
  const instrumented = instrumentAs(code);
  const others = Object.fromEntries(
    Object.entries(modules).map(([name, text]) => [name, instrumentAs(text)]),
  );
  const plain = await runIn(makeRealm(), code, sourceType, modules);
  const quiet = await runIn(makeRealm(), instrumented, sourceType, others);
  const realm = makeRealm();
  const countCalls = pollAlways(realm);
  const polled = await runIn(realm, instrumented, sourceType, others);
  return { plain, quiet, polled, calls: countCalls(), code: instrumented };
}
