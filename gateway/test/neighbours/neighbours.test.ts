/** One tenant's load stays its own: what calls hold is limited by key, by space and in all, and comes back. */

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { KIB } from '../../src/kernel/bytes.ts';
import { faultModels, testConfig } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { type RawCall, type RawRequest, rawCall, writeCall } from '../support/raw-call.ts';

const CHAT = '/v1/chat/completions';
const JSON_TYPE = { 'content-type': 'application/json' };

const limits = `limits:
  bytes_in_flight: ${4_000 * KIB}
  bytes_in_flight_per_space: ${1_600 * KIB}
  bytes_in_flight_per_key: ${1_000 * KIB}
  bytes_wait_ms: 500
  json_containers: 2000
  streams_per_key: 2
  streams_per_space: 3
  uploads_per_key: 1
  uploads_per_space: 2
  log_streams_per_person: 2
`;
const providers =
  '  anthropic: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, api_key: simulator-key, simulated: true }';
const models = {
  ...faultModels(['endless', 'error-500', 'cut']),
  claude: { capabilities: ['vision', 'streaming'], routes: [{ provider: 'anthropic', model: 'sim-claude' }] },
  images: { endpoints: ['images'], routes: [{ provider: 'simulator', model: 'sim-image' }] },
};

interface Tenant {
  readonly name: string;
  readonly key: string;
}

describe.each(oneEngine('postgres', 'memory'))('neighbours on %s', (engine) => {
  let gateway: TestGateway;
  let metricsUrl: string;
  const open: RawCall[] = [];

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: testConfig({ providers, models, limits }) });
    metricsUrl = (await gateway.admin('status')).metricsUrl as string;
  });
  afterAll(() => gateway.stop());

  let made = 0;

  async function tenant(): Promise<Tenant> {
    const name = `space-${++made}`;
    await gateway.admin('spaces.create', { name, overage: true });
    return { name, key: await keyIn(name) };
  }

  async function keyIn(space: string): Promise<string> {
    const name = `key-${++made}`;
    return (await gateway.admin('keys.create', { space, name, kind: 'shared' })).key;
  }

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(metricsUrl)).text();
    return Number(new RegExp(`^tollgate_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  }

  /** All but the last bytes of a body, and then nothing. */
  function stall(key: string, { declared, sent }: { declared: number; sent: number }): RawCall {
    const headers = { authorization: `Bearer ${key}`, ...JSON_TYPE, 'content-length': String(declared) };
    const body = `{"model":"sim-chat","messages":[{"role":"user","content":"${'a'.repeat(Math.max(0, sent - 60))}`;
    const call = rawCall(gateway.url, { path: CHAT, headers, body });
    open.push(call);
    return call;
  }

  function chat(key: string, bytes: number, more: object = {}): Promise<Response> {
    const content = `Reply with exactly: ok. ${'a'.repeat(bytes)}`;
    const messages = [{ role: 'user', content }];
    return gateway.chat({ model: 'sim-chat', messages, ...more }, { authorization: `Bearer ${key}` });
  }

  async function settled(): Promise<void> {
    for (const { socket } of open.splice(0)) socket.destroy();
    await vi.waitFor(async () => expect(await metric('bytes_in_flight')).toBe(0), PATIENCE);
    expect(await metric('bytes_waiting')).toBe(0);
  }

  async function held(bytes: number): Promise<void> {
    await vi.waitFor(
      async () => expect(await metric('bytes_in_flight')).toBeGreaterThanOrEqual(bytes),
      PATIENCE,
    );
  }

  test('a key over its share gets 429 that names the limit, and another space is served', async () => {
    const [loud, quiet] = [await tenant(), await tenant()];
    stall(loud.key, { declared: 700 * KIB, sent: 650 * KIB });
    await held(600 * KIB);
    const refused = await chat(loud.key, 600 * KIB);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('x-should-retry')).toBe('true');
    const { error } = (await refused.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe('rate_limit_exceeded');
    expect(error.message).toContain(
      `This key has too many bytes of calls in progress: at most ${1_000 * KIB}`,
    );
    expect((await chat(quiet.key, 600 * KIB)).status).toBe(200);
    // Its small calls pass as long as its share is not full.
    expect((await chat(loud.key, 10)).status).toBe(200);
    await settled();
    expect((await chat(loud.key, 600 * KIB)).status).toBe(200);
    await settled();
  });

  test('a space over its share gets 429, whichever of its keys asks', async () => {
    const { name, key } = await tenant();
    const [second, third] = [await keyIn(name), await keyIn(name)];
    stall(key, { declared: 700 * KIB, sent: 690 * KIB });
    stall(second, { declared: 700 * KIB, sent: 690 * KIB });
    await held(1_300 * KIB);
    const refused = await chat(third, 600 * KIB);
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain(`The space ${name} has too many bytes of calls in progress`);
    await settled();
  });

  test('a full gateway answers large calls with 503 and still serves small ones', async () => {
    const tenants = [await tenant(), await tenant(), await tenant(), await tenant()];
    for (const { key } of tenants) stall(key, { declared: 950 * KIB, sent: 940 * KIB });
    await held(3_700 * KIB);
    const { key } = await tenant();
    const refused = await chat(key, 500 * KIB);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.text()).toContain('The gateway has reached its memory limit for calls in progress');
    expect((await chat(key, 1_000)).status).toBe(200);
    await settled();
  });

  test('a sender that stops holds only what it sent', async () => {
    const { key } = await tenant();
    let answered = 0;
    for (let i = 0; i < 20; i++) {
      const { status } = stall(key, { declared: 31 * KIB * KIB, sent: 100 });
      void status.then(() => answered++).catch(() => undefined);
    }
    // All have arrived: one that comes later would hold what it declared for a second.
    await vi.waitFor(async () => {
      expect(answered + (await metric('requests_in_flight'))).toBeGreaterThanOrEqual(20);
      expect(await metric('bytes_waiting')).toBe(0);
      expect(await metric('bytes_in_flight')).toBeLessThan(100 * KIB);
    }, PATIENCE);
    expect((await chat(key, 500 * KIB)).status).toBe(200);
    await settled();
  });

  test('a call that waits is served when there is room again', async () => {
    const { key } = await tenant();
    const first = stall(key, { declared: 700 * KIB, sent: 690 * KIB });
    await held(600 * KIB);
    const calls = Array.from({ length: 3 }, () => chat(key, 600 * KIB));
    await vi.waitFor(async () => expect(await metric('bytes_waiting')).toBeGreaterThan(0), PATIENCE);
    first.socket.destroy();
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses).toContain(200);
    await settled();
  });

  test('a call that comes after hundreds of another space at once is among the first to be sent', async () => {
    const [loud, quiet] = [await tenant(), await tenant()];
    const request = (key: string, content: string): RawRequest => {
      const body = JSON.stringify({ model: 'sim-chat', messages: [{ role: 'user', content }] });
      const headers = { authorization: `Bearer ${key}`, ...JSON_TYPE, 'content-length': String(body.length) };
      return { path: CHAT, headers, body };
    };
    // The system hands over new connections one by one, so that only calls on open connections come at once.
    const requests = [
      ...Array.from({ length: 300 }, () => request(loud.key, 'loud')),
      request(quiet.key, 'quiet'),
    ];
    const connections = requests.map((first) => rawCall(gateway.url, first));
    open.push(...connections);
    const statuses = await Promise.all(connections.map(({ status }) => status));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const before = gateway.simulator.calls.length;
    for (const [index, { socket }] of connections.entries()) writeCall(socket, requests[index] as RawRequest);
    const sent = await vi.waitFor(() => {
      const calls = gateway.simulator.calls.slice(before);
      expect(calls).toHaveLength(301);
      return calls;
    }, PATIENCE);
    expect(sent.findIndex(({ text }) => text.includes('quiet'))).toBeLessThan(150);
    await settled();
  });

  test('everything is given back, however a call ends', async () => {
    const { key } = await tenant();
    const headers = { authorization: `Bearer ${key}` };
    const large = 'a'.repeat(300 * KIB);
    const ask = (body: unknown, path = CHAT): Promise<Response> => gateway.post(path, body, headers);
    const messages = [{ role: 'user', content: `Reply with exactly: ok. ${large}` }];
    const ends: ReadonlyArray<[number, () => Promise<Response>]> = [
      [200, () => ask({ model: 'sim-chat', messages })],
      [200, () => ask({ model: 'sim-chat', messages, stream: true })],
      [400, () => ask(`{"model":"sim-chat","messages":[{"role":"user","content":"${large}`)],
      [400, () => ask({ model: 'sim-chat', messages: large })],
      [404, () => ask({ model: 'no-such-model', messages })],
      [502, () => ask({ model: 'sim-fault-error-500', messages })],
      [200, () => ask({ model: 'images', prompt: 'a cat' }, '/v1/images/generations')],
    ];
    for (const [status, asked] of ends) {
      const reply = await asked();
      await reply.text();
      expect(reply.status).toBe(status);
    }
    // Callers who leave: while they send, while they are answered, while a provider goes on for ever.
    stall(key, { declared: 900 * KIB, sent: 400 * KIB });
    await held(400 * KIB);
    const leaving = new AbortController();
    const endless = await fetch(`${gateway.url}${CHAT}`, {
      method: 'POST',
      headers: { ...headers, ...JSON_TYPE },
      body: JSON.stringify({
        model: 'sim-fault-endless',
        messages: [{ role: 'user', content: 'hi' }],
        stream: true,
      }),
      signal: leaving.signal,
    });
    expect(endless.status).toBe(200);
    leaving.abort();
    await settled();
  });

  test('too much JSON is refused while it still arrives, and the limit is named', async () => {
    const { key } = await tenant();
    const headers = { authorization: `Bearer ${key}`, ...JSON_TYPE, 'content-length': String(900 * KIB) };
    const call = rawCall(gateway.url, { path: CHAT, headers, body: `{"metadata":[${'[],'.repeat(100_000)}` });
    open.push(call);
    expect(await call.status).toBe(400);
    await vi.waitFor(
      () => expect(call.text()).toContain('The body has more than 2000 lists and objects.'),
      PATIENCE,
    );
    await settled();
  });

  test('streams of a key and of a space are capped, and the limit is named', async () => {
    const { name, key } = await tenant();
    const other = await keyIn(name);
    const last = await keyIn(name);
    const endless = (whose: string): Promise<Response> =>
      gateway.chat(
        { model: 'sim-fault-endless', messages: [{ role: 'user', content: '[[pace 20]] hi' }], stream: true },
        { authorization: `Bearer ${whose}` },
      );
    const streams = [await endless(key), await endless(key)];
    const third = await endless(key);
    expect(third.status).toBe(429);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await third.text()).toContain('This key has 2 streams open, which is the limit.');
    streams.push(await endless(other));
    const fourth = await endless(last);
    expect(fourth.status).toBe(429);
    expect(await fourth.text()).toContain(`The space ${name} has 3 streams open, which is the limit.`);
    // Calls that do not stream are not counted.
    expect((await chat(key, 10)).status).toBe(200);
    for (const stream of streams) await stream.body?.cancel();
    await vi.waitFor(async () => expect((await endlessThenLeave(endless, key)).status).toBe(200), PATIENCE);
    await settled();
  });

  test('uploads of a key are capped, and the limit is named', async () => {
    const { key } = await tenant();
    const form = { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=b' };
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n';
    const first = rawCall(gateway.url, {
      path: '/v1/files',
      headers: { ...form, 'content-length': '5000' },
      body: `${part}{"custom_id":`,
    });
    open.push(first);
    await vi.waitFor(async () => expect(await metric('requests_in_flight')).toBe(1), PATIENCE);
    const second = await gateway.post('/v1/files', `${part}{}\r\n--b--\r\n`, form);
    expect(second.status).toBe(429);
    expect(await second.text()).toContain('This key has 1 uploads open, which is the limit.');
    first.socket.destroy();
    await vi.waitFor(async () => {
      expect((await gateway.post('/v1/files', `${part}{}\r\n--b--\r\n`, form)).status).toBe(400);
    }, PATIENCE);
    await settled();
  });

  test('a large body reaches its provider byte for byte, relayed and translated', async () => {
    const { key } = await tenant();
    const image = randomBytes(200 * KIB).toString('base64');
    const url = `data:image/png;base64,${image}`;
    const text = `Reply with exactly: ok.\n"${'Wörter und \\ Zeichen 😀\n'.repeat(4_000)}"`;
    const content = [
      { type: 'text', text },
      { type: 'image_url', image_url: { url } },
    ];
    const messages = [{ role: 'user', content }];
    for (const model of ['sim-chat', 'claude']) {
      const reply = await gateway.chat(
        { model, messages, max_completion_tokens: 50 },
        { authorization: `Bearer ${key}` },
      );
      expect(reply.status, await reply.clone().text()).toBe(200);
      const sent = gateway.simulator.calls.at(-1)?.text ?? '';
      expect(sent).toContain(image);
      const parsed = JSON.parse(sent) as { messages: Array<{ content: Array<{ text?: string }> }> };
      expect(parsed.messages[0]?.content[0]?.text).toBe(text);
    }
    await settled();
  });

  test('a large body of unknown length is read the same way, and takes room as it comes', async () => {
    const { key } = await tenant();
    const headers = { authorization: `Bearer ${key}`, ...JSON_TYPE, 'transfer-encoding': 'chunked' };
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    const begin = '{"model":"sim-chat","messages":[{"role":"user","content":"Reply with exactly: ok. ';
    const call = rawCall(gateway.url, { path: CHAT, headers, body: chunk(begin) });
    open.push(call);
    for (let i = 0; i < 5; i++) call.socket.write(chunk('a'.repeat(60 * KIB)));
    await held(300 * KIB);
    call.socket.write(`${chunk('"}]}')}0\r\n\r\n`);
    expect(await call.status).toBe(200);
    await settled();
  });

  test('a response whose input was large is kept as it was sent', async () => {
    const { key } = await tenant();
    const headers = { authorization: `Bearer ${key}` };
    const input = `Reply with exactly: ok. ${'long words, "quoted"\n'.repeat(5_000)}`;
    const first = await gateway.post('/v1/responses', { model: 'sim-chat', input, store: true }, headers);
    const { id } = (await first.json()) as { id: string };
    const next = { model: 'sim-chat', input: 'Reply with exactly: yes.', previous_response_id: id };
    expect((await gateway.post('/v1/responses', next, headers)).status).toBe(200);
    expect(gateway.simulator.calls.at(-1)?.text).toContain(JSON.stringify(input).slice(1, -1));
    await settled();
  });
});

async function endlessThenLeave(endless: (key: string) => Promise<Response>, key: string): Promise<Response> {
  const reply = await endless(key);
  await reply.body?.cancel();
  return reply;
}
