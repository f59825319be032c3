export function spin(ms) {
  globalThis.busy = 'spin';
  const end = performance.now() + ms;
  let sum = 0;
  while (performance.now() < end) for (let i = 0; i < 10_000; i++) sum += Math.sqrt(i) % 3;
  return sum;
}
