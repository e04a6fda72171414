/** Managed references: registered with a provider on their first use, once, and named from then on. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { type BesideGateway, startBeside } from '../support/beside.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { keepReference, redPng } from '../support/references.ts';
import {
  type AskFormat,
  askAbout,
  paths,
  referencesConfig,
  send,
  wordsOf,
} from '../support/references-stage.ts';

/** Where a provider takes files, and how calls name them. */
const providers = [
  {
    provider: 'openai',
    model: 'on-openai',
    format: 'responses',
    path: '/v1/files',
    named: /"file_id":"file-/,
  },
  {
    provider: 'claude',
    model: 'on-claude',
    format: 'messages',
    path: '/v1/files',
    named: /"file_id":"file_/,
  },
  { provider: 'claude', model: 'on-claude', format: 'chat', path: '/v1/files', named: /"file_id":"file_/ },
  {
    provider: 'gemini',
    model: 'on-gemini',
    format: 'chat',
    path: '/upload/v1beta/files',
    named: /"fileUri":"http/,
  },
] as const;

function registrations(gateway: TestGateway, path: string, from = 0): number {
  const calls = gateway.simulator.calls.slice(from).filter((call) => call.path === path);
  return calls.filter(({ headers }) => headers['x-goog-upload-command'] !== 'start').length;
}

async function seen(gateway: TestGateway, format: AskFormat, body: object): Promise<void> {
  const reply = await send(gateway, format, body);
  const answer = await reply.text();
  expect(reply.status, answer).toBe(200);
  expect(wordsOf(answer)).toContain('mostly red');
}

describe.each(engines)('managed references on %s', (engine) => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: referencesConfig });
  });

  afterAll(() => gateway.stop());

  test.each(providers)('$format to $model: registered once, then named', async (at) => {
    const { format, model, path, named } = at;
    const reference = await keepReference(gateway, { track: 'managed' });
    const from = gateway.simulator.calls.length;
    for (const stream of [false, true, false]) {
      await seen(gateway, format, askAbout(reference, format, { model, stream }));
      const sent = gateway.simulator.calls.at(-1)?.text ?? '';
      expect(sent).toMatch(named);
      expect(sent).not.toContain(redPng.toString('base64'));
    }
    expect(registrations(gateway, path, from)).toBe(1);
  });

  test.each(providers)('$format to $model: what the provider lost is registered again, once', async (at) => {
    const { format, model, path } = at;
    const reference = await keepReference(gateway, { track: 'managed' });
    const ask = askAbout(reference, format, { model });
    await seen(gateway, format, ask);
    gateway.simulator.shop.files.clear();
    const from = gateway.simulator.calls.length;
    await seen(gateway, format, { ...ask, stream: true });
    await seen(gateway, format, ask);
    expect(registrations(gateway, path, from)).toBe(1);
    expect(gateway.simulator.calls.length - from).toBeLessThanOrEqual(5);
  });

  test('where a dialect has no name for a picture, its bytes go', async () => {
    const reference = await keepReference(gateway, { track: 'managed' });
    const from = gateway.simulator.calls.length;
    for (const [format, model] of [
      ['chat', 'on-openai'],
      ['messages', 'on-compatible'],
      ['responses', 'on-bedrock'],
    ] as const) {
      await seen(gateway, format, askAbout(reference, format, { model }));
      expect(gateway.simulator.calls.at(-1)?.text).toContain(redPng.toString('base64'));
    }
    expect(registrations(gateway, '/v1/files', from)).toBe(0);
  });

  test('where it cannot be registered, its bytes go', async () => {
    const bytes = Buffer.concat([redPng, Buffer.from('[[batch upload-500]]')]);
    const reference = await keepReference(gateway, { track: 'managed', bytes });
    const ask = askAbout(reference, 'responses', { model: 'on-openai' });
    await seen(gateway, 'responses', ask);
    expect(gateway.simulator.calls.at(-1)?.text).toContain('image_url');
    expect(gateway.logged.some((line) => line.includes('could not be registered'))).toBe(true);
    await seen(gateway, 'responses', ask);
    expect(gateway.simulator.calls.at(-1)?.text).toContain('file_id');
  });

  test('a claim whose holder died is taken over when its lease has ended, and not before', async () => {
    const reference = await keepReference(gateway, { track: 'managed' });
    const id = reference.replace('svc-asset://', '');
    const until = Date.now() + 600;
    await gateway.query(sql`
      insert into provider_assets (reference_id, provider, token, lease_until, created_at)
      values (${id}, 'openai', 'dead', ${new Date(until).toISOString()}, now())`);
    await seen(gateway, 'responses', askAbout(reference, 'responses', { model: 'on-openai' }));
    expect(Date.now()).toBeGreaterThanOrEqual(until);
    const rows = await gateway.query<{ token: string; asset: string }>(
      sql`select token, asset from provider_assets where reference_id = ${id}`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.token).not.toBe('dead');
    expect(rows[0]?.asset).toMatch(/^file-/);
  });

  test('another space cannot use it, nor the name that the provider has for it', async () => {
    await gateway.admin('spaces.create', { name: 'other', overage: true });
    const made = await gateway.admin('keys.create', {
      name: 'o',
      kind: 'shared',
      space: 'other',
    });
    const reference = await keepReference(gateway, { track: 'managed' });
    await seen(gateway, 'responses', askAbout(reference, 'responses', { model: 'on-openai' }));
    const theirs = askAbout(reference, 'responses', { model: 'on-openai' });
    expect((await send(gateway, 'responses', theirs, made.key)).status).toBe(400);
    const name = /"file_id":"([^"]+)"/.exec(gateway.simulator.calls.at(-1)?.text ?? '')?.[1];
    const content = [{ type: 'input_image', file_id: name }];
    const stolen = { model: 'on-openai', input: [{ role: 'user', content }] };
    expect((await send(gateway, 'responses', stolen, made.key)).status).toBe(400);
  });
});

describe.runIf(engines.includes('postgres'))('two processes on one database', () => {
  let gateway: TestGateway;
  let beside: BesideGateway;

  beforeAll(async () => {
    gateway = await startGateway({ engine: 'postgres', config: referencesConfig });
    beside = await startBeside(gateway, referencesConfig);
  });

  afterAll(async () => {
    await beside.stop();
    await gateway.stop();
  });

  test.each(providers)('20 first uses at once make one registration: $format to $model', async (at) => {
    const { format, model, path } = at;
    const reference = await keepReference(gateway, { track: 'managed', folders: [beside.folder] });
    const from = gateway.simulator.calls.length;
    const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const reply = await fetch(`${i % 2 === 0 ? gateway.url : beside.url}${paths[format]}`, {
          method: 'POST',
          headers: { ...headers, authorization: `Bearer ${gateway.key}` },
          body: JSON.stringify(askAbout(reference, format, { model, stream: i % 4 < 2 })),
        });
        return `${reply.status} ${wordsOf(await reply.text())}`;
      }),
    );
    for (const answer of answers) expect(answer).toMatch(/^200 .*mostly red/s);
    expect(registrations(gateway, path, from)).toBe(1);
  });
});
