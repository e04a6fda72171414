/** The workloads of keys in the file of `plan` and `apply`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeConfig, testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { runCli } from '../support/run-cli.ts';

const API = 'system:serviceaccount:team-a:api';

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  const issuers = [{ name: 'cluster', issuer: 'https://cluster.invalid', audience: 'tollgate' }];
  gateway = await startGateway({ config: changeConfig(testConfig(), { workload_identity: { issuers } }) });
  folder = mkdtempSync(join(tmpdir(), 'tollgate-test-plan-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gateway.stop();
});

const run = (command: string, text: string, ...more: string[]) => {
  writeFileSync(join(folder, 'state.yaml'), text);
  const server = ['--data', gateway.folder, '--config', gateway.configFile];
  return runCli([command, '-f', 'state.yaml', ...more, ...server], { cwd: folder });
};

const state = (old: string, next: string): string => `
spaces:
  acme:
    keys:
      old: { workloads: [${old}] }
      next: { workloads: [${next}] }
`;

test('a rule moves from one key to a new one in one apply, and then there is nothing to change', async () => {
  const rule = (more = '') => `{ issuer: cluster, subject: "${API}", claims: [zone=a]${more} }`;
  const first = await run('apply', `spaces: { acme: { keys: { old: { workloads: [${rule()}] } } } }`);
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(first.stdout).toContain(`+ workload acme/old/${API}\n    issuer: cluster\n    claims: zone=a\n`);
  const moved = state(rule(', state: absent'), rule());
  const planned = await run('plan', moved, '--exit-code');
  expect([planned.code, planned.stderr]).toEqual([2, '']);
  expect(planned.stdout).toContain('2 to create, 0 to update, 1 to remove.');
  const applied = await run('apply', moved);
  expect([applied.code, applied.stderr]).toEqual([0, '']);
  const { data } = await gateway.admin('workloads.list', { space: 'acme' });
  expect(data).toMatchObject([{ key_name: 'next', issuer: 'cluster', subject: API, claims: ['zone=a'] }]);
  expect((await run('plan', moved, '--exit-code')).code).toBe(0);
  const drifted = await run('plan', state('', ''));
  expect(drifted.stdout).toContain(`workload acme/next/${API}: not in the file`);
});

test('a rule for an issuer that is not configured fails by name, and the next apply continues', async () => {
  const text = (issuer: string) =>
    `spaces: { acme: { keys: { ci: { workloads: [{ issuer: ${issuer}, subject: "repo:acme/*" }] } } } }`;
  const { code, stderr } = await run('apply', text('clustre'));
  expect(code).toBe(1);
  expect(stderr).toContain('The workload acme/ci/repo:acme/* could not be created: No issuer clustre');
  expect((await run('apply', text('cluster'))).stdout).toContain('1 change applied.');
});
