// main.js

import { genPrimes } from "./generate.js";

async function handleClick() {
  const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 10000 });

  const primes = genPrimes();
  console.log(`Finished generating ${primes.length} primes!`);
  await new Promise((resolve) => setTimeout(resolve, 200)); // the page is idle for a moment
  const trace = await profiler.stop();
  console.log(JSON.stringify(trace));
  document.dispatchEvent(new CustomEvent("trace", { detail: { trace, profiler } }));
}

document.querySelector("#generate").addEventListener("click", handleClick);
