/** What runs under a key ends with it: streams, whole calls, calls whose caller has left, background responses, transfers. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { callIdOf } from '../../src/text/answer-ids.ts';
import { imbalances, readLedger } from '../chaos/ledger.ts';
import { type BesideGateway, startBeside } from '../support/beside.ts';
import { testConfig, withBatches } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { chatLine, fileForm, uploaded } from '../support/files-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { rawCall } from '../support/raw-call.ts';

/** Twice what docs/money.md says, for a busy machine. */
const ENDED_MS_MAX = 6_000;

const config = withBatches(
  testConfig({
    models: `  endless: { capabilities: [streaming], routes: [{ provider: simulator, model: sim-fault-endless }] }
  hang: { capabilities: [streaming], routes: [{ provider: simulator, model: sim-fault-hang }] }`,
    prices: { endless: { input: 1, output: 2 }, hang: { input: 1, output: 2 } },
  }),
);

const content = '[[pace 20]] [[bytes 40]] Go on.';
const messages = [{ role: 'user', content }];
const formats: ReadonlyArray<readonly [path: string, body: object]> = [
  ['/v1/chat/completions', { messages }],
  ['/v1/responses', { input: content }],
  ['/v1/messages', { messages, max_tokens: 1_000_000 }],
];

describe.each(engines)('work under a key that ends, on %s', (engine) => {
  let gateway: TestGateway;
  let beside: BesideGateway | null = null;
  let made = 0;
  /** Where calls run: on PostgreSQL in another process than the one that is administered. */
  let url: string;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    if (engine === 'postgres') beside = await startBeside(gateway, config);
    url = beside?.url ?? gateway.url;
  });
  afterAll(async () => {
    await beside?.stop();
    await gateway.stop();
  });

  interface Key {
    readonly name: string;
    readonly space: string;
    readonly key: string;
    readonly email: string;
  }

  /** A personal key of a new person in a new space. */
  async function newKey(): Promise<Key> {
    const [name, space] = [`key-${++made}`, `space-${made}`];
    const email = `person-${made}@example.com`;
    await gateway.admin('spaces.create', { name: space, overage: true });
    await gateway.admin('members.add', { space, email, role: 'member' });
    const { key } = await gateway.admin('keys.create', { space, name, kind: 'personal', email });
    return { name, space, key, email };
  }

  function post(path: string, body: object, key: string, headers: object = {}): Promise<Response> {
    return fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...{ 'anthropic-version': '2023-06-01', ...headers },
      },
      body: JSON.stringify(body),
    });
  }

  /** A stream that has begun. */
  async function stream({ key }: Pick<Key, 'key'>, [path, body] = formats[0] as (typeof formats)[number]) {
    const reply = await post(path, { model: 'endless', stream: true, ...body }, key);
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let text = decoder.decode((await reader.read()).value);
    const ended = (async (): Promise<string> => {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return text;
        text += decoder.decode(value);
      }
    })();
    return {
      id: reply.headers.get('x-request-id') ?? '',
      ended,
      text: () => text,
      cancel: () => reader.cancel(),
    };
  }

  async function recorded(id: string): Promise<object> {
    return await vi.waitFor(async () => {
      const [row] = await gateway.query(sql`
        select outcome, problem, usage_source as source, cost > 0 as paid from calls where id = ${id}`);
      return row ?? expect.fail('not recorded yet');
    }, PATIENCE);
  }

  async function upstreamClosed(): Promise<void> {
    await vi.waitFor(() => {
      const open = gateway.simulator.calls.filter(({ finished, aborted }) => !finished && !aborted);
      expect(open).toEqual([]);
    }, PATIENCE);
  }

  const revoke = ({ space, name }: Key): Promise<unknown> => gateway.admin('keys.revoke', { space, name });
  const ends: ReadonlyArray<readonly [string, string, (key: Key) => Promise<unknown>]> = [
    ['is revoked', 'invalid_credentials', revoke],
    [
      'is disabled',
      'invalid_credentials',
      ({ space, name }) => gateway.admin('keys.disable', { space, name }),
    ],
    [
      'is expired by an administrator',
      'api_key_expired',
      ({ space, name }) => gateway.admin('keys.expire', { space, name, expires: 'now' }),
    ],
    [
      'expires',
      'api_key_expired',
      ({ name }) =>
        gateway.query(sql`update keys set expires_at = now() + interval '1 second' where name = ${name}`),
    ],
    [
      'is replaced without a grace period',
      'api_key_expired',
      ({ space, name }) => gateway.admin('keys.rotate', { space, name, grace_hours: 0 }),
    ],
    [
      'belongs to a member who is removed',
      'invalid_credentials',
      ({ space, email }) => gateway.admin('members.remove', { space, email }),
    ],
    [
      'belongs to a space that is blocked',
      'insufficient_units',
      ({ space }) => gateway.admin('spaces.block', { space, blocked: true }),
    ],
  ];

  test.each(ends)(
    'a stream whose key %s ends with the error %s, charged as far as it came',
    async (_, code, end) => {
      const neighbour = await stream({ key: gateway.key });
      const key = await newKey();
      const running = await stream(key);
      await end(key);
      const beganMs = performance.now();
      const text = await running.ended;
      expect(performance.now() - beganMs).toBeLessThan(ENDED_MS_MAX);
      expect(text).not.toContain('[DONE]');
      const last =
        text
          .trim()
          .split('\n\n')
          .at(-1)
          ?.replace(/^data: /, '') ?? '';
      expect(JSON.parse(last)).toMatchObject({ type: code, error_ref: running.id });
      expect(await recorded(running.id)).toEqual({
        outcome: 'partial',
        problem: code,
        source: 'estimated',
        paid: true,
      });
      // The stream of another key goes on.
      const before = neighbour.text().length;
      await vi.waitFor(() => expect(neighbour.text().length).toBeGreaterThan(before), PATIENCE);
      await neighbour.cancel();
      await upstreamClosed();
    },
  );

  test.each(formats.slice(1))('a stream at %s ends with the error of its format', async (...format) => {
    const key = await newKey();
    const running = await stream(key, format);
    await revoke(key);
    const text = await running.ended;
    const event = format[0] === '/v1/messages' ? 'event: error\n' : 'event: response.failed\n';
    const last = text.trim().split('\n\n').at(-1) ?? '';
    expect([last.startsWith(event), last.includes(running.id), last.includes('invalid_credentials')]).toEqual(
      [true, true, format[0] === '/v1/responses' || last.includes('invalid_credentials')],
    );
    expect(await recorded(running.id)).toMatchObject({ outcome: 'partial', paid: true });
    await upstreamClosed();
  });

  test('a call that waits for its provider gets 401, and nothing is charged', async () => {
    const key = await newKey();
    const asked = gateway.simulator.calls.length;
    const answer = post('/v1/chat/completions', { model: 'hang', messages }, key.key);
    await vi.waitFor(() => expect(gateway.simulator.calls.length).toBeGreaterThan(asked), PATIENCE);
    await revoke(key);
    const reply = await answer;
    expect([reply.status, ((await reply.json()) as { type: string }).type]).toEqual([
      401,
      'invalid_credentials',
    ]);
    const id = reply.headers.get('x-request-id') ?? '';
    expect(await recorded(id)).toMatchObject({ outcome: 'failed', problem: 'invalid_credentials' });
    await upstreamClosed();
  });

  test('a call with an Idempotency-Key whose caller has left ends, and so does a repeat that follows it', async () => {
    const key = await newKey();
    const [path, body] = formats[0] as (typeof formats)[number];
    const once = { 'idempotency-key': `left-${made}` };
    const left = new AbortController();
    const first = await fetch(`${url}${path}`, {
      ...{ method: 'POST', signal: left.signal },
      headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json', ...once },
      body: JSON.stringify({ model: 'endless', stream: true, ...body }),
    });
    const id = first.headers.get('x-request-id') ?? '';
    left.abort();
    const repeat = await post(path, { model: 'endless', stream: true, ...body }, key.key, once);
    expect(repeat.headers.get('x-request-id')).toBe(id);
    const text = repeat.text();
    await revoke(key);
    expect((await text).trim().split('\n\n').at(-1)).toContain('invalid_credentials');
    expect(await recorded(id)).toMatchObject({
      outcome: 'partial',
      problem: 'invalid_credentials',
      paid: true,
    });
    await upstreamClosed();
  });

  test('a background response ends as failed, charged for what was produced', async () => {
    const key = await newKey();
    const spare = await gateway.admin('keys.create', {
      ...{ space: key.space, name: 'spare', kind: 'personal', email: key.email },
    });
    const asked = { model: 'endless', input: content, background: true };
    const { id } = (await (await post('/v1/responses', asked, key.key)).json()) as { id: string };
    await vi.waitFor(async () => {
      const rows = await gateway.query(
        sql`select 1 from repeatable_call_parts where call_id = ${callIdOf(id)}`,
      );
      expect(rows.length).toBeGreaterThan(0);
    }, PATIENCE);
    await revoke(key);
    const response = await vi.waitFor(async () => {
      const read = await fetch(`${url}/v1/responses/${id}`, {
        headers: { authorization: `Bearer ${spare.key}` },
      });
      const found = (await read.json()) as { status: string; error: { message: string } | null };
      expect(found.status).toBe('failed');
      return found;
    }, PATIENCE);
    expect(response.error?.message).toMatch(/revoked/);
    expect(await recorded(callIdOf(id))).toMatchObject({
      outcome: 'partial',
      problem: 'invalid_credentials',
      paid: true,
    });
    await upstreamClosed();
  });

  test('a download that is not complete, and an upload, are cut', async () => {
    const key = await newKey();
    const lines = Array.from({ length: 2 }, (_, i) => chatLine(`line-${i}`, { user: 'x'.repeat(6_000_000) }));
    const file = await uploaded({ ...gateway, url }, fileForm(lines.join('')), { key: key.key });
    const { hostname, port } = new URL(url);
    const download = connect({ host: hostname, port: Number(port) });
    const isCut = new Promise((resolve) => download.on('close', resolve));
    download.on('error', () => undefined);
    download.write(
      `GET /v1/files/${file.id}/content HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key.key}\r\n\r\n`,
    );
    let received = 0;
    await new Promise<void>((resolve) =>
      download.once('data', (bytes: Buffer) => {
        received += bytes.length;
        download.pause();
        resolve();
      }),
    );
    const upload = rawCall(url, {
      path: '/v1/files',
      headers: {
        ...{ authorization: `Bearer ${key.key}`, expect: '100-continue' },
        ...{ 'content-type': 'multipart/form-data; boundary=b', 'content-length': '1000000' },
      },
      body: '',
    });
    // The handler reads the body.
    expect(await upload.status).toBe(100);
    const isUploadCut = new Promise((resolve) => upload.socket.on('close', resolve));
    await revoke(key);
    await isUploadCut;
    download.on('data', (bytes: Buffer) => {
      received += bytes.length;
    });
    download.resume();
    await isCut;
    expect(received).toBeLessThan(file.bytes);
  });

  test('nothing ends if a key is rotated with a grace period, limited, or another one is revoked', async () => {
    const key = await newKey();
    const { space, name } = key;
    const running = await stream(key);
    const spare = await gateway.admin('keys.create', { space, name: 'spare', kind: 'shared' });
    const other = await stream(spare);
    await gateway.admin('keys.rotate', { space, name, grace_hours: 1 });
    await gateway.admin('keys.limit', { space, name, month_limit: '0.000000000001' });
    await gateway.admin('keys.models', { space, name, models: ['sim-chat'] });
    await gateway.admin('keys.revoke', { space, name: 'spare' });
    await other.ended;
    const before = running.text().length;
    await vi.waitFor(() => expect(running.text().length).toBeGreaterThan(before), PATIENCE);
    await running.cancel();
    expect(await recorded(running.id)).toEqual({
      outcome: 'partial',
      problem: null,
      source: 'estimated',
      paid: true,
    });
  });

  test('the books are equal', async () => {
    await upstreamClosed();
    expect(imbalances(await readLedger(gateway))).toEqual([]);
  });
});
