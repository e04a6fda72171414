/** The units of deploy/systemd, checked by systemd itself where it is installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../src/app/limits.ts';
import { CLOSE_MS_MAX } from '../../src/app/stop-plan.ts';

const deploy = fileURLToPath(new URL('../../../deploy/systemd/', import.meta.url));
const read = (file: string): string => readFileSync(join(deploy, file), 'utf8');
/** Of 100; "OK" for systemd is up to 49. */
const EXPOSURE_MAX = 20;
const COMMAND = '/usr/local/bin/tollgate';
const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!isInstalled) {
  if (process.env.TOLLGATE_TEST_SYSTEMD === 'required')
    throw new Error('systemd-analyze is required, but was not found');
  process.stderr.write('systemd-analyze is not installed, so the units are not verified.\n');
}

const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-units-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!isInstalled).each([
  ['tollgate.service', 'tollgate.service'],
  ['tollgate@.service', 'tollgate@8081.service'],
])('%s', (file, instance) => {
  const unit = join(folder, instance);
  // The command is not installed where tests run.
  writeFileSync(unit, read(file).replace(COMMAND, process.execPath));

  test('is accepted by systemd without a warning', () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  test('is hardened: systemd rates its exposure as low', () => {
    const flags = ['security', '--offline=yes', `--threshold=${EXPOSURE_MAX}`, unit];
    expect(() => execFileSync('systemd-analyze', flags, { stdio: 'pipe' })).not.toThrow();
  });
});

test('a gateway has longer to stop than it needs', () => {
  for (const file of ['tollgate.service', 'tollgate@.service']) {
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(read(file))?.[1]);
    expect(seconds * 1_000).toBeGreaterThan(defaultLimits.drainMs + CLOSE_MS_MAX);
  }
});

test('the two units differ only in the port and what is named after it', () => {
  const settings = (file: string): string[] =>
    read(file)
      .split('\n')
      .filter((line) => !line.startsWith('#') && !/^(?:Description|Environment=(?:OPS_)?PORT)=/.test(line))
      .map((line) => line.replace('/%i', ''));
  expect(settings('tollgate@.service')).toEqual(settings('tollgate.service'));
});
