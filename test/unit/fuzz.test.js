/** A slice of `make fuzz`: a few seconds of each fuzzer, under sanitizers. */
import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const fuzzers = readdirSync(`${root}test/c`).filter((file) => /^fuzz_\w+\.c$/.test(file))
  .map((file) => file.replace('.c', ''));

test('there are fuzzers', () => {
  expect(fuzzers.length).toBeGreaterThanOrEqual(3);
});

test.each(fuzzers)('%s finds nothing', (name) => {
  const program = `${root}wasm-out/test/${name}`;
  expect(existsSync(program)).toBe(true); // `make test` builds it
  const folder = mkdtempSync(join(tmpdir(), 'profilyfill-fuzz-'));
  const { status, stderr } = spawnSync(
    program, ['-max_total_time=2', '-seed=1', `-artifact_prefix=${folder}/`, '-print_final_stats=1'],
    { encoding: 'utf8', cwd: folder, maxBuffer: 1 << 28 },
  );
  rmSync(folder, { recursive: true });
  if (status !== 0) throw new Error(stderr.slice(-4000));
  expect(Number(/number_of_executed_units: (\d+)/.exec(stderr)[1])).toBeGreaterThan(100);
});
