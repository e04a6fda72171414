/**
 * Installs the coding agents into a temporary folder and runs each against a gateway: `node test/clients/agents/full.ts`.
 * With TOLLGATE_AGENTS, the agents that are installed in that folder are used instead. Takes about five minutes.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startVitest } from 'vitest/node';
import { agentVersions } from './agent-versions.ts';

const given = process.env.TOLLGATE_AGENTS ?? '';
const folder = given === '' ? install() : given;
process.env.TOLLGATE_AGENTS = folder;
const vitest = await startVitest('test', ['test/clients/agents-installed.test.ts'], {
  watch: false,
  maxWorkers: 1,
});
await vitest.close();
if (given === '') rmSync(folder, { recursive: true, force: true });

/** Their programs are in the packages, so no install script is needed. */
function install(): string {
  const place = mkdtempSync(join(tmpdir(), 'tollgate-agents-'));
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: 'agents', private: true }));
  const packages = Object.entries(agentVersions).map(([name, version]) => `${name}@${version}`);
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...flags, ...packages], { cwd: place, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm install ended with ${status}`);
  return place;
}
