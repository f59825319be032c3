// A loader for webpack that takes types out of sources, one by one, and leaves checking them to `tsc`.
const ts = require('typescript');

module.exports = function load(source) {
  const { outputText, sourceMapText } = ts.transpileModule(source, {
    fileName: this.resourcePath,
    compilerOptions: {
      target: 'ES2022', module: 'ESNext', jsx: 'react-jsx', sourceMap: true, isolatedModules: true,
    },
  });
  this.callback(null, outputText.replace(/\/\/# sourceMappingURL=.*/, ''), JSON.parse(sourceMapText));
};
