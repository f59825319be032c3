// What fxprof.c measures, by the Profile class: node fxprof.js labels|handles|stacks SAMPLES
import { Profile } from '../../../wasm-out/esm/fxprof.js';

const STACKS = 5000;
const DEPTH = 20;
const FUNCTIONS = 2000;

const [mode, count] = process.argv.slice(2);

let state = 1;
function randomBelow(limit) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return Math.floor((state >>> 0) * limit / 2 ** 32);
}

const now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const profile = new Profile('bench', 0, 1);
const thread = profile.addThread(profile.addProcess('bench', 1, 0), 1, 0, true);
const labels = Array.from({ length: FUNCTIONS }, (_, i) => profile.internString(`function_number_${i}`));
const functions = [];
for (let i = 0; i < STACKS; i++) {
  functions.push(Array.from({ length: DEPTH }, () => randomBelow(FUNCTIONS)));
  if (i && randomBelow(2)) functions[i][0] = functions[randomBelow(i)][0];
}

const internLabels = (which) =>
  profile.internStackFrames(thread, functions[which].map((i) => ({ label: labels[i] })));

const began = now();
const frames = mode === 'handles' ? labels.map((label) => profile.internFrame(thread, { label })) : [];
const stacks = mode === 'stacks' ? functions.map((_, i) => internLabels(i)) : [];
const stackOf = {
  labels: internLabels,
  handles: (which) => functions[which].reduce(
    (parent, i) => profile.internStack(thread, parent, frames[i]), null),
  stacks: (which) => stacks[which],
}[mode];
const prepared = now();
for (let i = 0; i < Number(count); i++) {
  profile.addSample(thread, i + randomBelow(1e6) / 1e6, stackOf(randomBelow(STACKS)), i % 1000 / 1000, 1);
}
const added = now();
let bytes = 0;
profile.write((piece) => {
  bytes += piece.length;
});
console.log(JSON.stringify({
  prepare: prepared - began, add: added - prepared, write: now() - added, bytes,
  peak: process.resourceUsage().maxRSS * 1024 / 1e6,
}));
