/** The product as people get it: packed, then installed with npm into an empty prefix. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const gateway = fileURLToPath(new URL('../..', import.meta.url));
/** What npm says when it cannot reach the registry, and its cache lacks a package. */
const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED|ENETUNREACH/;

/** The Node of this test comes first, as the only one on a machine would. */
export const packageEnv: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
};

export interface InstalledPackage {
  readonly folder: string;
  /** The installed files. */
  readonly home: string;
  /** The command, as npm links it into the prefix. */
  readonly command: string;
  remove(): void;
}

/** Builds the checkout first. */
export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-package-'));
  execFileSync('npm', ['run', 'build'], { cwd: gateway, stdio: 'ignore', env: packageEnv });
  execFileSync('npm', ['pack', '--pack-destination', folder], {
    cwd: gateway,
    stdio: 'ignore',
    env: packageEnv,
  });
  const [packed = ''] = readdirSync(folder);
  const prefix = join(folder, 'prefix');
  mkdirSync(prefix);
  const installed = {
    folder,
    home: join(prefix, 'lib/node_modules/tollgate'),
    command: join(prefix, 'bin/tollgate'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  if (!installFromRegistry(join(folder, packed), prefix)) linkDependencies(join(folder, packed), installed);
  return installed;
}

/** False where the packages that it depends on cannot be downloaded. */
function installFromRegistry(packed: string, prefix: string): boolean {
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=0'];
  const { status, stderr } = spawnSync('npm', ['install', '-g', '--prefix', prefix, ...flags, packed], {
    cwd: dirname(packed),
    encoding: 'utf8',
    env: packageEnv,
  });
  if (status === 0) return true;
  if (process.env.TOLLGATE_TEST_REGISTRY === 'required' || !UNREACHABLE.test(stderr)) throw new Error(stderr);
  process.stderr.write(
    'The registry cannot be reached: the package is tested with the packages of the checkout.\n',
  );
  return false;
}

function linkDependencies(packed: string, { home, command }: InstalledPackage): void {
  mkdirSync(home, { recursive: true });
  mkdirSync(dirname(command), { recursive: true });
  execFileSync('tar', ['-xf', packed, '--strip-components=1', '-C', home]);
  symlinkSync(join(gateway, '../node_modules'), join(home, 'node_modules'));
  symlinkSync(join(home, 'bin/tollgate.js'), command);
}
