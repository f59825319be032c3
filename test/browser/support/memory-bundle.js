import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The script of memory-page.js as the package's would be built. */
export async function bundleMemoryPage() {
  const { outputFiles: [{ text }] } = await build({
    entryPoints: [fileURLToPath(new URL('./memory-page.js', import.meta.url))],
    bundle: true, format: 'iife', write: false, minify: true, target: 'es2022',
  });
  return text;
}
