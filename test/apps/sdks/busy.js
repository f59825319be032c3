// What the profiles are to show. The texts tell the functions apart when their names are gone.

export function work(ms) {
  globalThis.busy = 'work';
  const end = performance.now() + ms;
  let sum = 0;
  while (performance.now() < end) sum += crunch(40_000);
  return sum;
}

  export function crunch(count) {
  globalThis.busy = 'crunch';
  let sum = 0;
  for (let i = 0; i < count; i++) sum += Math.sqrt(i) % 3;
  return sum;
}
