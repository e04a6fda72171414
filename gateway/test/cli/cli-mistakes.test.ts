/** Errors of the command line: a sentence that helps, and never a stack. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { CommandProcess } from '../support/command-process.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type Ran, runCli } from '../support/run-cli.ts';

const NO_STACK = /^(?!.*\n\s+at )/s;
let empty: string;
beforeAll(() => {
  empty = mkdtempSync(join(tmpdir(), 'tollgate-empty-'));
});
afterAll(() => rmSync(empty, { recursive: true }));

function refused(ran: Ran, words: RegExp, code = 1): void {
  expect([ran.code, ran.stdout]).toEqual([code, '']);
  expect(ran.stderr).toMatch(words);
  expect(ran.stderr).toMatch(NO_STACK);
}

describe('a command in a folder without an installation', () => {
  test.each([[['keys', 'list']], [['spaces', 'create', 'acme']], [['usage']], [['audit']]])(
    '%j says where it looked and creates nothing',
    async (args) => {
      const ran = await runCli(args, { cwd: empty });
      refused(ran, /There is no installation here\. Looked at:/);
      const places = [
        join(empty, 'tollgate.yaml'),
        join(empty, 'data'),
        'DATABASE_URL',
        '--data FOLDER',
        '--url',
      ];
      for (const place of places) expect(ran.stderr).toContain(place);
      expect(readdirSync(empty)).toEqual([]);
    },
  );

  test('doctor says that the database would be created, and creates nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-empty-'));
    const { stdout } = await runCli(['doctor', '--data', folder], { cwd: empty, env: { PORT: '0' } });
    expect(stdout).toMatch(/ok +database +embedded, created at the first start/);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

describe('an address of a database that cannot be used', () => {
  test.each(['mysql://u:hunter2@h/db', 'localhost:5432/db', 'postgres://'])(
    '%s: says how to write one',
    async (url) => {
      for (const args of [['keys', 'list'], ['serve']]) {
        const ran = await runCli(args, { cwd: empty, env: { DATABASE_URL: url, PORT: '0' } });
        refused(ran, /must be like postgres:\/\/user:password@host:5432\/database/);
        expect(ran.stderr).not.toContain('hunter2');
      }
    },
  );

  test('serve: an address where no database answers', async () => {
    const env = {
      DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/db',
      PORT: '0',
      TOLLGATE_DATA: join(empty, 'd'),
    };
    const ran = await runCli(['serve'], { cwd: empty, env });
    refused(ran, /^tollgate: The database on 127\.0\.0\.1:1 cannot be reached \(.*\)\. Is it running/);
    expect(ran.stderr).not.toContain('hunter2');
  });

  const postgres = inject('postgresUrl');
  test.skipIf(postgres === null)('serve: a database that does not exist', async () => {
    const url = new URL(postgres as string);
    url.pathname = '/not_there';
    const env = { DATABASE_URL: url.href, PORT: '0', TOLLGATE_DATA: join(empty, 'd') };
    const ran = await runCli(['serve'], { cwd: empty, env });
    refused(ran, /^tollgate: There is no database not_there on .*\. Create it \(createdb not_there\)/);
  });
});

describe('with a server', () => {
  const commands = new CommandProcess();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(async () => {
    await commands.stop();
    await gateway.stop();
  });
  const run = (...args: string[]): Promise<Ran> =>
    commands.run([...args, '--data', gateway.folder, '--config', gateway.configFile], {
      cwd: empty,
      env: { TOLLGATE_KEY: gateway.key },
    });
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);

  test.each([
    [['batches', 'submit', 'nothere.jsonl'], /^tollgate: There is no file nothere\.jsonl\.\n$/],
    [['batches', 'check', 'nothere.jsonl'], /^tollgate: There is no file nothere\.jsonl\.\n$/],
    [['references', 'upload', 'nothere.png'], /nothere\.png/],
    [['batches', 'submit', '.'], /^tollgate: \. is not a file\. Name a JSONL file\.\n$/],
    [['batches', 'watch', 'x', '--url', 'ftp://localhost'], /is not the address of a gateway/],
  ] as const)('%j fails with a sentence', async (args, words) => {
    refused(await run(...args), words);
  });

  test('--verbose shows the stack of an error', async () => {
    const { code, stderr } = await run('batches', 'submit', 'nothere.jsonl', '--verbose');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/There is no file nothere\.jsonl\.\n.*\n\s+at /s),
    ]);
  });

  test('--url without a scheme means http', async () => {
    writeFileSync(join(empty, 'one.jsonl'), '{}\n');
    const host = new URL(gateway.url).host;
    const ran = await run('batches', 'watch', 'batch_none', '--url', host);
    refused(ran, /batch_not_found/);
    rmSync(join(empty, 'one.jsonl'));
  });

  test('keys enable has its own action in the audit log', async () => {
    await json('keys', 'create', 'switched');
    await run('keys', 'disable', 'switched');
    await run('keys', 'enable', 'switched');
    const lines = (await json('audit')) as Array<{ action: string; subject: string }>;
    const actions = lines.filter(({ subject }) => subject === 'switched').map(({ action }) => action);
    expect(actions).toEqual(['keys.enable', 'keys.disable', 'keys.create']);
  });

  test('keys models rejects unknown models, suggests the nearest one, and changes nothing', async () => {
    refused(
      await run('keys', 'models', 'test', 'sim-chat,sim-caht'),
      /^tollgate: There is no model sim-caht in acme\. Did you mean sim-chat\? "tollgate models" lists them\.\n$/,
    );
    refused(
      await run('keys', 'models', 'test', 'zzz'),
      /There is no model zzz in acme\. "tollgate models" lists/,
    );
    const keys = (await json('keys', 'list')) as Array<{ name: string; models: string[] | null }>;
    expect(keys.find(({ name }) => name === 'test')).toMatchObject({ models: null });
    expect(await run('keys', 'models', 'test', 'all')).toMatchObject({ code: 0 });
  });

  test('keys expire accepts a day (KST), which means its last second', async () => {
    await json('keys', 'create', 'dated');
    expect(await json('keys', 'expire', 'dated', '2999-12-31')).toMatchObject({
      expires_at: '2999-12-31T23:59:59+09:00',
    });
    const { stdout } = await run('keys', 'list');
    expect(stdout).toContain('2999-12-31T23:59:59+09:00');
    expect(await json('keys', 'expire', 'dated', '2999-06-01T12:00:00Z')).toMatchObject({
      expires_at: '2999-06-01T21:00:00+09:00',
    });
    for (const wrong of ['2999-02-30', 'tomorrow', '31.12.2999x']) {
      refused(
        await run('keys', 'expire', 'dated', wrong),
        /is not a date\. Write a day \(KST\) as YYYY-MM-DD/,
        2,
      );
    }
    refused(await run('keys', 'expire', 'dated', '2001-01-01'), /is in the past/);
  });

  test('several spaces are listed where one must be chosen', async () => {
    await json('spaces', 'create', 'beta');
    refused(
      await run('keys', 'list'),
      /^tollgate: There are several spaces: acme, beta\. Choose one\. Write --space NAME, or set TOLLGATE_SPACE\.\n$/,
    );
    expect(existsSync(join(empty, 'data'))).toBe(false);
  });
});

describe('a gateway that is configured not to resolve addresses', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({
      config: `
server: { resolve_addresses: false }
providers:
  simulator: &simulator { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
  # A merge key, as in other YAML files.
  again: { <<: *simulator, simulated: false }
models:
  sim-chat: { capabilities: [vision], routes: [{ provider: again, model: sim-chat }] }
  sim-image: { endpoints: [images], routes: [{ provider: simulator, model: sim-image }] }
`,
    });
  });
  afterAll(() => gateway.stop());
  const ask = (url: string): Promise<Response> =>
    gateway.chat({
      model: 'sim-chat',
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    });

  test('leaves names to the provider, and still refuses what is private by its form', async () => {
    const url = 'https://pictures.no-such-name.example/cat.png';
    expect((await ask(url)).status).toBe(200);
    expect(gateway.simulator.calls.at(-1)?.text).toContain(url);
    for (const inside of [
      'https://10.0.0.1/',
      'https://localhost/a',
      'https://x.internal/',
      'https://u:p@a.example/',
    ]) {
      expect([inside, (await ask(inside)).status]).toEqual([inside, 400]);
    }
  });

  test('still resolves what it fetches itself', async () => {
    const image_url = 'https://pictures.no-such-name.example/cat.png';
    const reply = await gateway.post('/v1/images/edits', {
      model: 'sim-image',
      prompt: 'x',
      images: [{ image_url }],
    });
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining('cannot be found')]);
  });
});
