/**
 * The package as users get it: packed, and installed by npm into a project of its own, without network.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

// What is packed is what is built: packing must not build again under the tests that run beside this.
const ENVIRONMENT = { ...process.env, npm_config_ignore_scripts: 'true', NODE_OPTIONS: '' };

const npm = (cwd, ...args) =>
  execFileSync('npm', args, { cwd, env: ENVIRONMENT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** The dependencies of a package and theirs, as they are installed here. */
function listDependencies(name, found = new Set()) {
  const path = name === '' ? ROOT : `${ROOT}node_modules/${name}/`;
  const { dependencies = {} } = JSON.parse(readFileSync(`${path}package.json`, 'utf8'));
  for (const dependency of Object.keys(dependencies)) {
    if (found.has(dependency)) continue;
    found.add(dependency);
    listDependencies(dependency, found);
  }
  return [...found];
}

/**
 * Packs the repository, makes an empty project in a temporary folder and installs the tarball there.
 *
 * @returns {{ project: string, folder: string, tarball: string, files: string[], remove: () => void }}
 *   the project; the installed package in it; the tarball; the paths in it, sorted
 */
export function installPackage() {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'profilyfill-package-')));
  try {
    // npm takes those of what the package asks for, so that it need not ask a registry. They are packed from
    // outside, where it does not matter which package manager their developers use.
    const folders = [ROOT, ...listDependencies('').map((name) => `${ROOT}node_modules/${name}`)];
    const packed = JSON.parse(npm(project, 'pack', ...folders, '--json', '--pack-destination', project));
    const [tarball, ...dependencies] = packed.map(({ filename }) => join(project, filename));
    const files = packed[0].files.map(({ path }) => path).sort();
    writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }');
    npm(project, 'install', '--offline', '--no-audit', '--no-fund', tarball, ...dependencies);
    return {
      project, tarball, files,
      folder: join(project, 'node_modules', 'profilyfill'),
      remove: () => rmSync(project, { recursive: true, force: true, maxRetries: 3 }),
    };
  } catch (error) {
    rmSync(project, { recursive: true, force: true });
    throw new Error(`the package cannot be installed: ${error.stderr ?? error.message}`, { cause: error });
  }
}
