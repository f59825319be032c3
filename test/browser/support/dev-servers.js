/**
 * Two of Vite's dev servers for one folder, without and with the plugin.
 *
 *   node test/browser/support/dev-servers.js FOLDER
 *
 * prints their addresses as a JSON array and serves until its input ends.
 */
import { createServer } from 'vite';
import { vite } from '../../../js/plugin.js';

const servers = await Promise.all([[], [vite({ dev: true, exclude: 'other.js' })]].map(async (plugins, i) => {
  const server = await createServer({
    root: process.argv[2], configFile: false, logLevel: 'silent', plugins, cacheDir: `.cache${i}`,
    server: { host: '127.0.0.1', port: 0, watch: { usePolling: true, interval: 50 } },
  });
  return server.listen();
}));
console.log(JSON.stringify(servers.map(({ resolvedUrls }) => resolvedUrls.local[0])));
process.stdin.resume();
process.stdin.on('end', () => process.exit());
