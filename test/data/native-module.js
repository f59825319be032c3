// Functions of a module; SPIN as in native-functions.js. The page calls the default one.
export { local };
const local = () => { SPIN };
local();
export function declared() { SPIN }
declared();
export const arrow = async () => { SPIN };
await arrow();
export class Exported { constructor() { SPIN } static method() { SPIN } }
new Exported(); Exported.method();
export default function () { SPIN }
await (async () => { await null; SPIN })();
for await (const x of (async function* () { yield 1; SPIN })()) void x;
