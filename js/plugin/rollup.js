/** The plugin in Rollup and Rolldown, and in Vite, which builds with either. */
import { separateTableOf } from '../separate-table.js';

const SOURCE_TYPES = { es: 'module', cjs: 'commonjs' };

/**
 * @param {import('./instrumenter.js').Instrumenter} instrumenter
 * @param {boolean} [reports]  whether to tell what was done
 */
export const makeRollupHooks = (instrumenter, reports = true) => ({
  // Names are chosen before the polls are in.
  augmentChunkHash: () => instrumenter.digest,

  generateBundle: {
    // Behind the minifier, and behind whoever else changes chunks here.
    order: 'post',
    handler({ format }, bundle) {
      // What Vite builds for a server is run by no page.
      if (this.environment?.config.consumer === 'server') return;
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === 'chunk' && instrumenter.includes(chunk.fileName)) {
          const { fileName } = chunk;
          const made = instrumentChunk(instrumenter, chunk, bundle, SOURCE_TYPES[format]);
          const emit = (name, source) => this.emitFile({ type: 'asset', fileName: name, source });
          if (made?.plainMap) emit(`${fileName}.plain.map`, made.plainMap.toString());
          if (made?.result.table) emit(separateTableOf(fileName), made.result.table);
        }
      }
      if (reports) this.info(instrumenter.report());
    },
  },
});

function instrumentChunk(instrumenter, chunk, bundle, sourceType) {
  const { code, fileName } = chunk;
  // What will be written: others may have put more into it, such as a debug id.
  const asset = bundle[chunk.sourcemapFileName];
  const made = instrumenter.instrument(fileName, code, { map: asset?.source ?? chunk.map, sourceType });
  if (made === null) return null;
  chunk.code = made.code;
  if (made.map) {
    chunk.map = made.map;
    if (asset) asset.source = made.map.toString();
  }
  return made;
}
