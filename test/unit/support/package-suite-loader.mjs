/** Puts polls into modules (test/unit/support/package-suite.mjs); what is required it does not see. */
import { instrument } from '../../../js/instrument.js';

let port;

export function initialize(data) {
  ({ port } = data);
}

export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (loaded.format !== 'module' || !url.includes('/node_modules/')) return loaded;
  const { code, polls } = instrument(String(loaded.source), { sourceType: 'module', url });
  port.postMessage(polls);
  return { ...loaded, source: code };
}
