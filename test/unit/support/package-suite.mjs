/**
 * Runs a package's own tests in this process, which prints TAP; with polls in every file that is loaded from
 * node_modules, while a profiler is running.
 *
 *     node test/unit/support/package-suite.mjs plain|polled require|import FILE...
 *
 * Polled, the last line is `suite: {"files": …, "polls": …, "samples": …}`: files that were
 * instrumented, polls in them, and those that have taken a sample.
 */
import Module, { createRequire, register } from 'node:module';
import { describe, it, before, after, beforeEach, afterEach } from 'node:test';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';

const [kind, how, ...files] = process.argv.slice(2);

// As mocha has them.
Object.assign(globalThis, { describe, it, before, after, beforeEach, afterEach });

async function poll() {
  const { instrument } = await import('../../../js/instrument.js');
  // A profiler keeps its timer going, which must not keep this process.
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (...args) => setTimeout(...args).unref();
  const { startProfiler, lateness } = await import('../../../wasm-out/esm/index.js');
  globalThis.setTimeout = setTimeout;
  const counts = { files: 0, polls: 0, samples: 0 };
  const { _compile: compile } = Module.prototype;
  Module.prototype._compile = function polled(content, filename, ...rest) {
    let code = content;
    // A module that is required comes here, too, and fails.
    if (filename.includes('node_modules') && !filename.endsWith('.mjs')) {
      const result = instrument(content, { sourceType: 'commonjs', url: pathToFileURL(filename).href });
      ({ code } = result);
      counts.files++;
      counts.polls += result.polls;
    }
    return compile.call(this, code, filename, ...rest);
  };
  const { port1, port2 } = new MessageChannel();
  port1.on('message', (polls) => {
    counts.files++;
    counts.polls += polls;
  });
  port1.unref();
  register('./package-suite-loader.mjs', import.meta.url, { data: { port: port2 }, transferList: [port2] });
  const profiler = startProfiler({ sampleInterval: 1, maxBufferSize: 1e6 });
  process.on('exit', () => {
    counts.samples = lateness(profiler).polls;
    console.log(`\nsuite: ${JSON.stringify(counts)}`);
  });
}

if (kind === 'polled') await poll();
const require = createRequire(import.meta.url);
for (const file of files) {
  // All at once, or tape begins before the last has come.
  if (how === 'require') require(file);
  else await import(pathToFileURL(file));
}
