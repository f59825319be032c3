// Runs a WASI program that prints and asks for the time, which is the CPU time:
//
//   node run-wasi.js PROGRAM.wasm ARGUMENT...
//
// node:wasi has no clock of CPU time.
import { readFileSync, writeSync } from 'node:fs';

const args = process.argv.slice(2).map((text) => Buffer.from(`${text}\0`));
const view = () => new DataView(memory.buffer);

const system = {
  args_sizes_get(count, size) {
    view().setUint32(count, args.length, true);
    view().setUint32(size, Buffer.concat(args).length, true);
    return 0;
  },
  args_get(pointers, at) {
    args.forEach((bytes, i) => {
      view().setUint32(pointers + 4 * i, at, true);
      new Uint8Array(memory.buffer).set(bytes, at);
      at += bytes.length;
    });
    return 0;
  },
  clock_time_get(id, precision, at) {
    const { user, system: kernel } = process.cpuUsage();
    view().setBigUint64(at, BigInt(user + kernel) * 1000n, true);
    return 0;
  },
  fd_write(file, pieces, count, written) {
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const [at, length] = new Uint32Array(memory.buffer, pieces + 8 * i, 2);
      sum += writeSync(file, new Uint8Array(memory.buffer, at, length));
    }
    view().setUint32(written, sum, true);
    return 0;
  },
  fd_close: () => 0,
  fd_seek: () => 29, // not a file
  fd_fdstat_get: () => 0,
  proc_exit: (status) => process.exit(status),
};

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: system });
const { memory } = exports;
exports._start();
