/** `tollgate batches submit`, `watch`, `download`, `retry-failed` and `cancel`, as a user types them. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BatchObject } from '../../src/contract/batches.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { testConfig, withBatches } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { runCli } from '../support/run-cli.ts';

const config = withBatches(testConfig());

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway({ config });
  folder = mkdtempSync(join(tmpdir(), 'tollgate-batch-'));
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

const batch = (...args: string[]) =>
  runCli(['batches', ...args, '--url', gateway.url], { env: { TOLLGATE_KEY: gateway.key } });
const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { custom_id: string });

test('a file is submitted, watched until it is settled, downloaded, and its failed lines become a new file', async () => {
  const input = join(folder, 'input.jsonl');
  const lines = [chatLine('a', 'hi'), chatLine('b', 'hi', { temperature: 9 }), chatLine('c', 'hi')];
  writeFileSync(input, lines.join('\n'));
  const submitted = await batch('submit', input, '--watch', '--json');
  expect(submitted.stderr).toContain('3/3, 1 failed');
  const made = JSON.parse(submitted.stdout) as BatchObject;
  expect(made).toMatchObject({ status: 'completed', settlement_status: 'settled' });
  expect(submitted.code).toBe(0);

  const fetched = await batch('download', made.id, '-o', join(folder, 'results'));
  expect(fetched.code).toBe(0);
  const [output, errors] = ['output', 'errors'].map((name) =>
    join(folder, 'results', `${made.id}_${name}.jsonl`),
  );
  expect(linesOf(output as string).map((line) => line.custom_id)).toEqual(['a', 'c']);
  expect(linesOf(errors as string).map((line) => line.custom_id)).toEqual(['b']);

  const retry = join(folder, 'retry.jsonl');
  const again = await batch('retry-failed', made.id, '-o', retry);
  expect(again.stdout).toContain(`tollgate batches submit ${retry}`);
  expect(readFileSync(retry, 'utf8')).toBe(`${lines[1]}\n`);

  const late = await batch('cancel', made.id);
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('nothing left to cancel')]);
});

test('an error has the words of the gateway, and says what to do', async () => {
  const bad = join(folder, 'bad.jsonl');
  writeFileSync(bad, '{"custom_id": "a"}');
  const refused = await batch('submit', bad);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/row 1: missing_field/)]);
  const keyless = await runCli(['batches', 'watch', 'batch_x', '--url', gateway.url], {
    env: { TOLLGATE_KEY: '' },
  });
  expect(keyless.stderr).toContain('Set TOLLGATE_KEY');
  const absent = await batch('watch', 'batch_x');
  expect(absent.stderr).toContain('There is no batch');
  const early = await new BatchStage(gateway).submitted([
    chatLine('slow', '[[fault slow-first-byte]] [[delay 10000]] x'),
  ]);
  expect((await batch('download', early.id)).stderr).toContain(`tollgate batches watch ${early.id}`);
  const cancelled = await batch('cancel', early.id);
  expect(cancelled.stdout).toMatch(/cancelling/);
});
