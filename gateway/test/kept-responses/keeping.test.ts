/** Responses that cannot be kept, or not all of them: the answer is paid for, so it is given. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DatabaseUnavailable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { FaultyDatabase } from '../support/faulty-database.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const RESPONSE_BYTES_MAX = 40_000;
const SPACE_BYTES_MAX = 60_000;
/** Half of a surrogate pair, and what PostgreSQL has no text for. */
const NASTY = 'msg_\u0000_\ud800_end';

interface Answered {
  readonly id: string;
  readonly store: boolean;
  readonly output: Array<{ id: string }>;
}

function answerOf(id: string, words: string): object {
  const part = { type: 'output_text', text: words, annotations: [] };
  const message = { type: 'message', id, role: 'assistant', status: 'completed', content: [part] };
  const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
  return {
    id: 'resp_provider',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [message],
    usage,
  };
}

function badRow(): Error {
  return Object.assign(new Error('a bad row'), { code: '22021' });
}

/** Answers every call with an item id that no text column takes; says what it was asked. */
async function startNasty(): Promise<{ server: Server; url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString('utf8');
      asked.push(body);
      const answer = answerOf(NASTY, 'nasty words');
      const streams = (JSON.parse(body) as { stream?: boolean }).stream === true;
      response.writeHead(200, { 'content-type': streams ? 'text/event-stream' : 'application/json' });
      const frame = (type: string, fields: object): string =>
        `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...fields })}\n\n`;
      response.end(
        streams
          ? frame('response.created', { response: { ...answer, output: [], status: 'in_progress' } }) +
              frame('response.completed', { response: answer })
          : JSON.stringify(answer),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

describe.each(engines)('keeping responses on %s', (engine) => {
  const faults = new FaultyDatabase();
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown): void => void unhandled.push(error);
  let gateway: TestGateway;
  let nasty: Awaited<ReturnType<typeof startNasty>>;
  let spaces = 0;

  beforeAll(async () => {
    process.on('unhandledRejection', onUnhandled);
    nasty = await startNasty();
    gateway = await startGateway({
      engine,
      wrapDatabase: faults.wrap,
      config: testConfig({
        providers: `  nasty: { dialect: openai, base_url: ${nasty.url}, api_key: x }`,
        models: `  nasty: { capabilities: [streaming], routes: [{ provider: nasty, model: m }] }`,
        limits: `limits: { kept_response_bytes: ${RESPONSE_BYTES_MAX}, kept_space_bytes: ${SPACE_BYTES_MAX} }`,
        prices: { nasty: { input: 1, output: 2 } },
      }),
    });
  });
  afterAll(async () => {
    await gateway.stop();
    nasty.server.close();
    process.off('unhandledRejection', onUnhandled);
    expect(unhandled).toEqual([]);
  });
  beforeEach(() => {
    faults.before = () => null;
    faults.after = () => null;
  });

  async function respond(body: object, key = gateway.key): Promise<Response> {
    return await gateway.post(
      '/v1/responses',
      { model: 'sim-chat', ...body },
      { authorization: `Bearer ${key}` },
    );
  }

  async function answered(body: object, key = gateway.key): Promise<Answered> {
    const reply = await respond(body, key);
    expect(reply.status, await reply.clone().text()).toBe(200);
    return (await reply.json()) as Answered;
  }

  async function keyOfNewSpace(): Promise<string> {
    const space = `space-${++spaces}`;
    await gateway.admin('spaces.create', { name: space, overage: true });
    return (await gateway.admin('keys.create', { space, name: 'k', kind: 'shared' })).key;
  }

  async function keptOf(space: string): Promise<{ kept_responses: number; kept_bytes: number }> {
    const { data: rows } = await gateway.admin('spaces.list');
    return rows.find(({ name }) => name === space) as { kept_responses: number; kept_bytes: number };
  }

  function lastStreamed(text: string): { store: boolean; id: string } {
    const line = text
      .split('\n')
      .findLast((one) => one.startsWith('data: ') && one.includes('response.completed'));
    return (JSON.parse((line as string).slice(6)) as { response: { store: boolean; id: string } }).response;
  }

  test('a response that the database rejects is answered and charged, and says that it is not kept', async () => {
    faults.before = ({ text }) => (text.includes('insert into kept_responses') ? badRow() : null);
    const [whole, streamed] = await Promise.all([
      respond({ input: 'Reply with exactly: paid' }),
      respond({ input: 'Reply with exactly: paid', stream: true }),
    ]);
    const answers = [(await whole.json()) as Answered, lastStreamed(await streamed.text())];
    faults.before = () => null;
    for (const { id, store } of answers) {
      expect(store).toBe(false);
      const rows = await gateway.query(sql`select cost from calls where id = ${id.replace('resp_', 'req_')}`);
      expect(rows).toHaveLength(1);
      const next = await respond({ input: 'Go on.', previous_response_id: id });
      expect(next.status).toBe(404);
      expect(await next.json()).toMatchObject({
        type: 'response_not_found',
        detail: expect.stringContaining('Send the whole conversation as input'),
      });
    }
    expect((await answered({ input: 'Reply with exactly: next' })).store).toBe(true);
  });

  test('a database that is away for a moment delays answers, which are then kept', async () => {
    let left = 5;
    faults.before = ({ text }) =>
      text.includes('insert into kept_responses') && left-- > 0 ? new DatabaseUnavailable('away') : null;
    const { id, store } = await answered({ input: 'Reply with exactly: patient' });
    expect(store).toBe(true);
    expect(left).toBeLessThanOrEqual(0);
    await answered({ input: 'Go on.', previous_response_id: id });
    expect(gateway.simulator.calls.at(-1)?.text).toContain('patient');
  });

  test('a kept conversation that cannot be read answers 503, not 500', async () => {
    const { id } = await answered({ input: 'Reply with exactly: hidden' });
    faults.before = ({ text }) =>
      text.includes('with recursive chain') ? new DatabaseUnavailable('away') : null;
    const next = await respond({ input: 'Go on.', previous_response_id: id });
    expect([next.status, next.headers.get('retry-after')]).toEqual([503, '1']);
  });

  test('an item id that no text column takes is kept and can be referred to, whole and streamed', async () => {
    const whole = await answered({ model: 'nasty', input: 'Hi.' });
    expect(whole).toMatchObject({ store: true, output: [{ id: NASTY }] });
    const streamed = lastStreamed(
      await (await respond({ model: 'nasty', input: 'Hi.', stream: true })).text(),
    );
    expect(streamed.store).toBe(true);
    for (const { id } of [whole, streamed]) {
      await answered({ model: 'nasty', input: 'Go on.', previous_response_id: id });
      expect(nasty.asked.at(-1)).toContain('nasty words');
    }
    await answered({ model: 'nasty', input: [{ type: 'item_reference', id: NASTY }] });
    expect(nasty.asked.at(-1)).toContain('nasty words');
  });

  test('a row that the database rejects takes no neighbour with it', async () => {
    const victims = await Promise.all([1, 2, 3].map(keyOfNewSpace));
    faults.before = ({ text, values }) =>
      text.includes('insert into kept_responses') && JSON.stringify(values).includes('poison')
        ? badRow()
        : null;
    const calls = [gateway.key, ...victims, gateway.key].map((key, i) =>
      answered({ input: i % 4 === 0 ? 'Reply with exactly: poison' : 'Reply with exactly: fine' }, key),
    );
    expect((await Promise.all(calls)).map(({ store }) => store)).toEqual([false, true, true, true, false]);
  });

  test('large responses of one space fail no response of another', async () => {
    const [loud, quiet] = [await keyOfNewSpace(), await keyOfNewSpace()];
    const input = `Reply with exactly: large ${'x'.repeat(30_000)}`;
    const large = Array.from({ length: 24 }, () => answered({ input }, loud));
    const small = Array.from({ length: 24 }, () => answered({ input: 'Reply with exactly: small' }, quiet));
    expect((await Promise.all(small)).every(({ store }) => store)).toBe(true);
    await Promise.all(large);
  });

  test('a response larger than its limit is answered and not kept', async () => {
    const { id, store } = await answered({ input: `Hi. ${'x'.repeat(RESPONSE_BYTES_MAX)}` });
    expect(store).toBe(false);
    const next = await respond({ input: 'Go on.', previous_response_id: id });
    expect(await next.json()).toMatchObject({
      type: 'response_not_found',
      detail: expect.stringContaining(`${RESPONSE_BYTES_MAX} bytes`),
    });
  });

  test('a space keeps no more than its quota: the oldest responses go first, and the list of spaces shows it', async () => {
    const key = await keyOfNewSpace();
    const space = `space-${spaces}`;
    const kept: string[] = [];
    for (let i = 0; i < 6; i++) kept.push((await answered({ input: `Hi. ${'y'.repeat(17_000)}` }, key)).id);
    const { kept_responses: responses, kept_bytes: bytes } = await keptOf(space);
    expect(bytes).toBeLessThanOrEqual(SPACE_BYTES_MAX);
    expect(responses).toBe(3);
    const statuses: number[] = [];
    for (const id of kept)
      statuses.push((await respond({ input: 'Go on.', previous_response_id: id, store: false }, key)).status);
    expect(statuses).toEqual([404, 404, 404, 200, 200, 200]);
  });

  test('an image that stands in several responses is stored once, comes back unchanged, and goes with the last', async () => {
    const key = await keyOfNewSpace();
    const space = `space-${spaces}`;
    const url = `data:image/png;base64,${Buffer.alloc(20_000, 7).toString('base64')}`;
    const look = {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Reply with exactly: seen' },
        { type: 'input_image', image_url: url, detail: 'low' },
      ],
    };
    const first = await answered({ input: [look] }, key);
    const second = await answered({ input: [look], previous_response_id: first.id }, key);
    const held = (): Promise<Array<{ id: string }>> =>
      gateway.query(sql`
        select m.id from kept_media m join spaces s on s.id = m.space_id where s.name = ${space}`);
    expect(await held()).toHaveLength(1);
    const { kept_bytes: bytes } = await keptOf(space);
    expect(bytes).toBeGreaterThan(url.length);
    expect(bytes).toBeLessThan(2 * url.length);
    await answered({ input: 'Go on.', previous_response_id: second.id, store: false }, key);
    expect(JSON.stringify(gateway.simulator.calls.at(-1)?.body).split(url)).toHaveLength(3);
    for (const { id } of [first, second]) {
      await gateway.query(
        sql`update kept_responses set expires_at = now() - interval '1 second' where id = ${id}`,
      );
      await gateway.sweepAll();
      expect(await held()).toHaveLength(id === first.id ? 1 : 0);
    }
    expect(await keptOf(space)).toMatchObject({ kept_responses: 0, kept_bytes: 0 });
    const blobs = await gateway.query(sql`select name from pending_blobs where name like 'kmed%'`);
    expect(blobs).toEqual([]);
  });
});
