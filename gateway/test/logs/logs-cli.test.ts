/** `tollgate logs` and `tollgate builds logs`, run as a user runs them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LogStage, startLogStage } from '../support/log-stage.ts';
import { runCli } from '../support/run-cli.ts';

let stage: LogStage;
beforeAll(async () => {
  stage = await startLogStage();
});
afterAll(() => stage.stop());

const run = (...args: string[]) =>
  runCli(args, { env: { TOLLGATE_SESSION: stage.session, TOLLGATE_URL: stage.gateway.url } });

describe('tollgate logs', () => {
  test('prints the last lines in the requested format, and only those that match --grep', async () => {
    const pod = stage.pod({ pod: 'web-1' });
    for (const text of ['GET /a 200', 'GET /b 404', '\u001b[32mgreen\u001b[0m \u001b]0;title\u0007 end'])
      pod.write(text, { time: '2026-11-15T03:00:00.5Z' });
    expect((await run('logs', 'shop', '-o', 'raw', '--tail', '2')).stdout).toBe(
      'GET /b 404\n\u001b[32mgreen\u001b[0m \u001b]0;title\u0007 end\n',
    );
    expect((await run('logs', 'shop', '--grep', ' 404$')).stdout).toBe(
      '2026-11-15T03:00:00.500000000Z web-1 GET /b 404\n',
    );
    const [line] = (await run('logs', 'shop', '-o', 'json', '--pod', 'web-1', '-c', 'app')).stdout.split(
      '\n',
    );
    expect(JSON.parse(line as string)).toEqual({
      content: 'GET /a 200',
      podName: 'web-1',
      timeStamp: '2026-11-15T03:00:00.500000000Z',
      last: false,
    });
  });

  test.each([
    [['logs', 'nothing-here'], 'There is no such project'],
    [['logs', 'shop', '--tail', 'many'], '--tail "many" is not valid: it must be a whole number.'],
    [['logs', 'shop', '--since', 'noon'], '--since "noon" is not valid'],
    [['logs', 'shop', '--grep', '('], '--grep is not a regular expression'],
    [['logs', 'shop', '-o', 'xml'], '--output "xml" is not valid: it must be one of pretty, json, raw.'],
    [['builds', 'logs', 'bld_x'], 'There is no such build'],
  ])('reports what is wrong with %j', async (args, words) => {
    const { stderr, code } = await run(...args);
    const isUsage = words.startsWith('--');
    expect([stderr, code]).toEqual([expect.stringContaining(words), isUsage ? 2 : 1]);
  });

  test('explains how to sign in if there is no session', async () => {
    const env = { TOLLGATE_SESSION: join(stage.gateway.folder, 'nobody.json') };
    const { stderr, code } = await runCli(['logs', 'shop'], { env });
    expect([stderr, code]).toEqual([expect.stringContaining('You are not signed in.'), 1]);
  });
});

test('tollgate builds logs waits for a build that is still running', async () => {
  const { id } = await stage.gateway.admin('builds.start', { space: 'acme', project: 'shop' });
  mkdirSync(join(stage.gateway.folder, 'builds'), { recursive: true });
  writeFileSync(join(stage.gateway.folder, 'builds', `${id}.log`), 'done\n');
  expect((await run('builds', 'logs', id)).stderr).toContain('Wait for it with --wait.');
  const waiting = run('builds', 'logs', id, '--wait', '--no-numbers');
  await stage.gateway.admin('builds.finish', { space: 'acme', build: id, status: 'succeeded' });
  expect((await waiting).stdout).toBe('done\n');
});

test("an operator can read the gateway's own log like the log of a pod, a member cannot", async () => {
  expect((await run('logs', 'gateway', '-o', 'raw')).stderr).toContain('There is no such project');
  const session = await stage.operator('ops@example.com');
  const { stdout } = await runCli(['logs', 'gateway', '-o', 'raw'], {
    env: { TOLLGATE_SESSION: session, TOLLGATE_URL: stage.gateway.url },
  });
  expect(stdout).toContain('"msg":"tollgate is listening"');
  expect(stdout).not.toContain(session);
});
