/** The plugin in webpack and Rspack. */
import { separateTableOf } from '../separate-table.js';

const NAME = 'profilyfill';

const SCRIPT = /\.[cm]?js(?:\?|$)/;

/**
 * @param {import('./instrumenter.js').Instrumenter} instrumenter
 * @param {import('webpack').Compiler} compiler
 */
export function applyToCompiler(instrumenter, compiler) {
  const { Compilation, javascript, sources: { RawSource, SourceMapSource } } = compiler.webpack;
  const logger = compiler.getInfrastructureLogger(NAME);
  // Of this compilation only: those that it has for templates and styles make no scripts for pages.
  compiler.hooks.thisCompilation.tap(NAME, (compilation) => {
    const plainMappings = new Map();
    // For names with a hash that is not made of the file itself.
    javascript.JavascriptModulesPlugin.getCompilationHooks(compilation).chunkHash
      .tap(NAME, (chunk, hash) => { hash.update(instrumenter.digest); });
    compilation.hooks.processAssets.tap({
      name: NAME,
      // Behind the minifier; before source maps are written and hashes of the files' contents are made.
      stage: Compilation.PROCESS_ASSETS_STAGE_OPTIMIZE_SIZE + 1,
    }, () => {
      plainMappings.clear();
      const tables = new Map();
      const files = new Set();
      for (const chunk of compilation.chunks) for (const file of chunk.files) files.add(file);
      for (const file of files) {
        if (!SCRIPT.test(file) || !instrumenter.includes(file.replace(/\?.*/, ''))) continue;
        try {
          compilation.updateAsset(file, (source) => {
            const { source: code, map } = source.sourceAndMap();
            const made = instrumenter.instrument(file, String(code), { map });
            if (made === null) return source;
            if (made.result.table) tables.set(separateTableOf(file), made.result.table);
            if (made.plainMap) plainMappings.set(file, made.plainMap.mappings);
            return made.map ? new SourceMapSource(made.code, file, made.map) : new RawSource(made.code);
          });
        } catch (error) {
          compilation.errors.push(error);
        }
      }
      for (const [name, text] of tables) compilation.emitAsset(name, new RawSource(text));
      logger.info(instrumenter.report());
    });
    compilation.hooks.processAssets.tap({
      name: NAME,
      // When maps have been written.
      stage: Compilation.PROCESS_ASSETS_STAGE_DEV_TOOLING + 1,
    }, () => {
      for (const [file, mappings] of plainMappings) {
        const map = compilation.getAsset(compilation.getAsset(file).info.related?.sourceMap);
        if (!map) continue;
        const text = JSON.stringify({ ...JSON.parse(map.source.source()), mappings });
        compilation.emitAsset(map.name.replace(/\.map\b/, '.plain.map'), new RawSource(text), map.info);
      }
    });
  });
}
