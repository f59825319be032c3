// Four projects: `unit` runs in Node alone; `browser` and `apps` start real browsers and run their files one
// after the other (--runInBand), since two browsers on one core would time each other out; `timing` is those
// that say what happened when, for which no other browser may run.
//
//   NODE_OPTIONS=--experimental-vm-modules npx jest --selectProjects unit
//   NODE_OPTIONS=--experimental-vm-modules npx jest --selectProjects browser apps timing --runInBand

const common = {
  testEnvironment: 'node',
  transform: {}, // the sources are what runs
  // Built copies of the package would be taken for other packages of the same name.
  modulePathIgnorePatterns: ['<rootDir>/wasm-out/'],
};

const browser = {
  ...common,
  testEnvironment: '<rootDir>/test/browser/support/environment.js',
  globalTeardown: '<rootDir>/test/browser/support/teardown.js',
};

const files = (...names) => names.map((name) => `<rootDir>/test/browser/${name}.test.js`);
const APPS = files('demo', 'life-cycle', 'positions', 'recipes', 'sdk-needs', 'sdk-soak');
const TIMING = files('conformance', 'extensions', 'native', 'page', 'profile', 'regressions', 'workers');

export default {
  projects: [
    { ...common, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.js'] },
    {
      ...browser, displayName: 'browser', testMatch: ['<rootDir>/test/browser/**/*.test.js'],
      testPathIgnorePatterns: [...APPS, ...TIMING],
    },
    { ...browser, displayName: 'apps', testMatch: APPS },
    { ...browser, displayName: 'timing', testMatch: TIMING },
  ],
  // For all projects, since jest heeds it here only: starting a browser on a busy machine takes long.
  testTimeout: 120_000,
  watchPathIgnorePatterns: ['<rootDir>/wasm-out/'],
};
