/** The plugin in Rollup and Rolldown, and in Vite, which builds with either. */

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
          const plainMap = instrumentChunk(instrumenter, chunk, bundle, SOURCE_TYPES[format]);
          if (plainMap) {
            const fileName = `${chunk.fileName}.plain.map`;
            this.emitFile({ type: 'asset', fileName, source: plainMap.toString() });
          }
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
  if (made === null) return undefined;
  chunk.code = made.code;
  if (made.map) {
    chunk.map = made.map;
    if (asset) asset.source = made.map.toString();
  }
  return made.plainMap;
}
