/**
 * Runs the tests of client libraries with their newest versions, and says what those changed: `npm run clients:latest`. They
 * are installed into a temporary folder; the checkout stays as it is. If a version is another than the pinned one, or a
 * test fails, the tests run with the pinned versions too. Other versions can be given:
 * `npm run clients:latest -- @anthropic-ai/sdk@1.2.0`. Ends with 1 if a test fails. Takes about two minutes per run.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientPackages, installedVersions, SHARED_PACKAGE } from './client-packages.ts';
import { compareRuns, readReport, type TestRun, writeSummary, writeVersions } from './compare-runs.ts';

const CHECKOUT = fileURLToPath(new URL('../../../..', import.meta.url));
const files = readdirSync(new URL('..', import.meta.url))
  .filter((file) => /^clients-.*\.test\.ts$/.test(file))
  .map((file) => `test/clients/${file}`);

const folder = mkdtempSync(join(tmpdir(), 'tollgate-clients-'));
try {
  install(process.argv.slice(2));
  const pinnedVersions = installedVersions(CHECKOUT, clientPackages);
  const versions = installedVersions(folder, clientPackages);
  const sameVersions = clientPackages.every((name) => versions.get(name) === pinnedVersions.get(name));
  process.stdout.write(`\n${writeVersions(pinnedVersions, versions)}\n`);
  const newest = runTests({ TOLLGATE_CLIENTS: folder });
  const failed = [...newest.tests.values()].some((error) => error !== null);
  const pinned = sameVersions && !failed ? newest : runTests({});
  process.stdout.write(`\n${writeSummary(compareRuns(newest, pinned))}\n`);
  process.exitCode = failed ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Versions that are given (`openai@7.41.0`) take the place of the newest. */
function install(given: readonly string[]): void {
  const other = new Map(given.map((text) => [text.slice(0, text.lastIndexOf('@')), text]));
  const unknown = [...other.keys()].find((name) => !clientPackages.some((client) => client === name));
  if (unknown !== undefined)
    throw new Error(`${other.get(unknown)}: give NAME@VERSION, with one of ${clientPackages.join(', ')}`);
  const shared = installedVersions(CHECKOUT, [SHARED_PACKAGE]).get(SHARED_PACKAGE);
  const newest = clientPackages.map((name) => other.get(name) ?? `${name}@latest`);
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'clients', private: true }));
  const { status } = spawnSync('npm', ['install', ...flags, ...newest, `${SHARED_PACKAGE}@${shared}`], {
    cwd: folder,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`npm install ended with ${status}`);
}

function runTests(env: Readonly<Record<string, string>>): TestRun {
  const report = join(folder, 'report.json');
  const requests = join(folder, 'requests.txt');
  rmSync(report, { force: true });
  writeFileSync(requests, '');
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  spawnSync('vitest', ['run', ...reporters, ...files], {
    cwd: join(CHECKOUT, 'gateway'),
    env: { ...process.env, ...env, TOLLGATE_CLIENT_REQUESTS: requests },
    stdio: 'inherit',
  });
  const sent = readFileSync(requests, 'utf8').split('\n');
  const tests = readReport(readFileSync(report, 'utf8'));
  if (tests.size === 0) throw new Error('No test ran, so nothing can be compared. The reason is above.');
  return {
    tests,
    sent: new Set(sent.filter((line) => line !== '')),
  };
}
