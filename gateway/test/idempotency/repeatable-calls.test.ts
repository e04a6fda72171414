/** Calls with an Idempotency-Key: one answer, one call to the provider, one charge. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { openaiClient } from '../support/clients.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { png } from '../support/images-stage.ts';
import { PATIENCE } from '../support/patience.ts';
import { askedFor, chargedCalls, chatOf, eventsOf, paths, repeatsConfig } from '../support/repeats-stage.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

const version = { 'vendor-version': '2023-06-01' };

/** Each kind of call, with `WORD` where its text is unique. */
const kinds = [
  ['chat', paths.chat, chatOf('WORD')],
  ['chat stream', paths.chat, chatOf('WORD', { stream: true, stream_options: { include_usage: true } })],
  ['responses', paths.responses, { model: 'sim-chat', input: 'WORD' }],
  ['responses stream', paths.responses, { model: 'sim-chat', input: 'WORD', stream: true }],
  ['messages', paths.messages, { ...chatOf('WORD'), max_tokens: 100 }],
  ['messages stream', paths.messages, { ...chatOf('WORD', { stream: true }), max_tokens: 100 }],
  ['embeddings', paths.embeddings, { model: 'sim-embed', input: 'WORD' }],
  ['images', paths.images, { model: 'sim-image', prompt: 'WORD' }],
] as const;

describe.each(engines)('calls with an Idempotency-Key on %s', (engine) => {
  const clock = shiftedClock();
  let gateway: TestGateway;
  let other: string;
  let words = 0;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: repeatsConfig, clock });
    other = (await gateway.admin('keys.create', { name: 'other', kind: 'shared' })).key;
  });
  afterAll(() => gateway.stop());

  function newWord(): string {
    return `${engine}-word-${++words}-`;
  }
  function filled(body: object, word: string): string {
    return JSON.stringify(body).replaceAll('WORD', `${word} tell me a story`);
  }
  function ask(
    path: string,
    body: string,
    key: string,
    more: Record<string, string> = {},
  ): Promise<Response> {
    return gateway.post(path, body, { 'idempotency-key': key, ...version, ...more });
  }
  async function typeOf(reply: Response): Promise<string> {
    return ((await reply.json()) as { type: string }).type;
  }

  test.each(kinds)(
    'a repeated %s call gets the same bytes, and is made and charged once',
    async (_, path, shape) => {
      const word = newWord();
      const body = filled(shape, word);
      const before = await chargedCalls(gateway);
      const first = await ask(path, body, word);
      expect(first.status).toBe(200);
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      const bytes = Buffer.from(await first.arrayBuffer());
      for (const _again of [1, 2]) {
        const again = await ask(path, body, word);
        expect(again.status).toBe(200);
        expect(Buffer.from(await again.arrayBuffer()).equals(bytes)).toBe(true);
        for (const name of ['x-request-id', 'request-id', 'content-type', 'x-tollgate-cost-units'])
          expect(again.headers.get(name)).toBe(first.headers.get(name));
        expect(again.headers.get('idempotent-replayed')).toBe('true');
      }
      expect(askedFor(gateway, word)).toBe(1);
      const id = first.headers.get('x-request-id');
      expect(await chargedCalls(gateway)).toEqual([...before, id]);
      const receipt = await fetch(`${gateway.url}/v1/receipts/${id}`, {
        headers: { authorization: `Bearer ${gateway.key}` },
      });
      expect(receipt.status).toBe(200);
    },
  );

  test('an edit sent again as a form with another boundary is the same request', async () => {
    const edit = async (prompt: string): Promise<Response> => {
      const form = new FormData();
      form.set('model', 'sim-image');
      form.set('prompt', prompt);
      form.set('image', new Blob([png], { type: 'image/png' }), 'a.png');
      return await fetch(`${gateway.url}/v1/images/edits`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.key}`, 'idempotency-key': 'edit' },
        body: form,
      });
    };
    const first = await edit('red');
    const text = await first.text();
    expect([first.status, await (await edit('red')).text()]).toEqual([200, text]);
    expect(await typeOf(await edit('blue'))).toBe('idempotency_conflict');
  });

  test('another body, query or endpoint is no repeat', async () => {
    const word = newWord();
    const body = filled(chatOf('WORD'), word);
    const first = await ask(paths.chat, body, word);
    for (const [path, sent] of [
      [paths.chat, `${body} `],
      [`${paths.chat}?a=1`, body],
    ] as const) {
      const reply = await ask(path, sent, word);
      expect([reply.status, reply.headers.get('x-should-retry')]).toEqual([409, 'false']);
      expect(await typeOf(reply)).toBe('idempotency_conflict');
    }
    const elsewhere = await ask(paths.messages, filled({ ...chatOf('WORD'), max_tokens: 9 }, word), word);
    expect(elsewhere.status).toBe(200);
    expect(elsewhere.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  });

  test('the key of another owner leads to a new call, never to an answer of somebody else', async () => {
    const word = newWord();
    const body = filled(chatOf('WORD'), word);
    const mine = await ask(paths.chat, body, word);
    const theirs = await ask(paths.chat, body, word, { authorization: `Bearer ${other}` });
    expect(theirs.headers.get('x-request-id')).not.toBe(mine.headers.get('x-request-id'));
    expect(theirs.headers.get('idempotent-replayed')).toBeNull();
    expect(askedFor(gateway, word)).toBe(2);
  });

  test.each(['', '   ', 'x'.repeat(256)])('the key %j is rejected', async (key) => {
    const reply = await ask(paths.chat, filled(chatOf('WORD'), 'k'), key);
    expect([reply.status, await typeOf(reply)]).toEqual([400, 'idempotency_key_invalid']);
  });

  test('requests at the same time share one call: whole answers wait, streams join from the beginning', async () => {
    for (const more of [{}, { stream: true }]) {
      const word = newWord();
      const body = filled(chatOf('[[delay 150]] [[pace 5]] WORD', more), word);
      const replies = await Promise.all([1, 2, 3, 4, 5].map(() => ask(paths.chat, body, word)));
      const texts = await Promise.all(replies.map((reply) => reply.text()));
      expect(new Set(texts).size).toBe(1);
      expect(texts[0]).toContain(more.stream ? '[DONE]' : 'finish_reason');
      expect(new Set(replies.map((reply) => reply.headers.get('x-request-id'))).size).toBe(1);
      expect(replies.filter((reply) => reply.headers.has('idempotent-replayed'))).toHaveLength(4);
      expect(askedFor(gateway, word)).toBe(1);
    }
  });

  test.each([[{ stream: false }], [{ stream: true }]])(
    'a caller that disconnects finds its answer later, complete and charged once (%j)',
    async (more) => {
      const word = newWord();
      const body = filled(chatOf('[[delay 50]] [[pace 5]] WORD', more), word);
      const before = (await chargedCalls(gateway)).length;
      const leaving = new AbortController();
      const asked = gateway.simulator.waitFor(({ text }) => text.includes(word));
      const left = fetch(`${gateway.url}${paths.chat}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${gateway.key}`,
          'content-type': 'application/json',
          'idempotency-key': word,
        },
        body,
        signal: leaving.signal,
      });
      await asked;
      leaving.abort();
      await expect(left.then((reply) => reply.text())).rejects.toThrow();
      const again = await ask(paths.chat, body, word);
      expect(await again.text()).toContain(more.stream ? '[DONE]' : 'finish_reason');
      expect(askedFor(gateway, word)).toBe(1);
      expect(gateway.simulator.calls.find(({ text }) => text.includes(word))?.aborted).toBe(false);
      expect((await chargedCalls(gateway)).length).toBe(before + 1);
    },
  );

  test('a caller that disconnects without a key still ends the call at the provider', async () => {
    const word = newWord();
    const leaving = new AbortController();
    const reply = await fetch(`${gateway.url}${paths.chat}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: filled(chatOf('[[pace 50]] WORD', { stream: true }), word),
      signal: leaving.signal,
    });
    expect(await reply.body?.getReader().read()).toBeDefined();
    leaving.abort();
    await gateway.simulator.waitFor((call) => call.text.includes(word) && call.aborted);
  });

  test('an error of the request is answered again; an error of the provider frees the key', async () => {
    const word = newWord();
    const wrong = filled({ ...chatOf('WORD'), temperature: 9 }, word);
    const replies = [await ask(paths.chat, wrong, word), await ask(paths.chat, wrong, word)];
    expect(replies.map(({ status }) => status)).toEqual([400, 400]);
    expect(replies.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    const [one, two] = (await Promise.all(replies.map((reply) => reply.json()))) as Array<{ detail: string }>;
    expect(two?.detail).toBe(one?.detail);
    const right = filled(chatOf('WORD'), word);
    expect(await typeOf(await ask(paths.chat, right, word))).toBe('idempotency_conflict');

    const busy = filled({ ...chatOf('WORD'), model: 'busy' }, word);
    expect((await ask(paths.chat, busy, `${word}b`)).status).toBe(502);
    const again = await ask(paths.chat, filled(chatOf('WORD'), word), `${word}b`);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  test('a stream that the provider breaks off is charged once, and repeated with its error', async () => {
    const word = newWord();
    const body = filled({ ...chatOf('WORD', { stream: true }), model: 'cut' }, word);
    const reply = await ask(paths.chat, body, word);
    const first = await reply.text();
    expect(first).toContain('upstream_error');
    expect(first).not.toContain('[DONE]');
    expect(await (await ask(paths.chat, body, word)).text()).toBe(first);
    expect(askedFor(gateway, word)).toBe(1);
    expect(await chargedCalls(gateway)).toContain(reply.headers.get('x-request-id'));
  });

  test('an answer that is too large to keep is charged once, and a repeat names its receipt', async () => {
    const word = newWord();
    const text = 'x'.repeat(5 * 1024 * 1024);
    gateway.simulator.answers.set(word, {
      body: JSON.stringify({
        ...{ id: 'c', object: 'chat.completion', created: 1, model: 'sim-chat' },
        choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      }),
    });
    const body = filled(chatOf(`[[say ${word}]] WORD`), word);
    const first = await ask(paths.chat, body, word);
    expect(first.status).toBe(200);
    expect((await first.text()).length).toBeGreaterThan(text.length);
    const again = await ask(paths.chat, body, word);
    const problem = (await again.json()) as { type: string; detail: string };
    expect([again.status, problem.type]).toEqual([409, 'answer_not_kept']);
    expect(problem.detail).toContain(first.headers.get('x-request-id'));
    expect(again.headers.get('x-should-retry')).toBe('false');
    expect(askedFor(gateway, word)).toBe(1);
  });

  test('events have ids, and a repeat continues after the last one that was received', async () => {
    const word = newWord();
    const body = filled(chatOf('WORD', { stream: true }), word);
    const plain = await gateway.chat(filled(chatOf('WORD', { stream: true }), newWord()));
    expect(await plain.text()).not.toMatch(/^id:/m);
    const whole = await (await ask(paths.chat, body, word)).text();
    const { ids } = eventsOf(whole);
    expect(ids.length).toBeGreaterThan(3);
    for (const [index, id] of ids.entries()) {
      const rest = await (await ask(paths.chat, body, word, { 'last-event-id': id })).text();
      const at = whole.indexOf(`id: ${ids[index + 1]}\n`);
      expect(rest).toBe(at < 0 ? '' : whole.slice(at));
    }
    expect(askedFor(gateway, word)).toBe(1);
  });

  test('a response stream is read again by its id, while it runs and afterwards, from any event, by its owner', async () => {
    const word = newWord();
    const body = filled({ model: 'sim-chat', input: '[[pace 10]] WORD', stream: true }, word);
    const first = await ask(paths.responses, body, word);
    const id = (first.headers.get('x-request-id') ?? '').replace('req_', 'resp_');
    const client = openaiClient(gateway);
    const read = async (starting_after?: number): Promise<unknown[]> => {
      const events: unknown[] = [];
      const query = { stream: true, ...(starting_after !== undefined && { starting_after }) } as const;
      for await (const event of await client.responses.retrieve(id, query)) events.push(event);
      return events;
    };
    const running = read();
    const { text } = eventsOf(await first.text());
    const all = [...text.matchAll(/^data: (.*)$/gm)].map(
      (match) => JSON.parse(match[1] as string) as unknown,
    );
    expect(await running).toEqual(all);
    expect(all.at(-1)).toMatchObject({ type: 'response.completed' });
    for (const after of [0, 3, all.length - 2]) expect(await read(after)).toEqual(all.slice(after + 1));
    const url = `${gateway.url}/v1/responses/${id}?stream=true`;
    const theirs = await fetch(url, { headers: { authorization: `Bearer ${other}` } });
    expect([theirs.status, await typeOf(theirs)]).toEqual([404, 'response_not_found']);
    await client.responses.delete(id);
    await expect(read()).rejects.toThrow(/404/);
    expect(askedFor(gateway, word)).toBe(1);
  });

  test('Last-Event-ID never starts a call, and never continues another answer', async () => {
    const word = newWord();
    const body = filled(chatOf('WORD', { stream: true }), word);
    const unknown = `req_${'0'.repeat(26)}-3`;
    const lost = await ask(paths.chat, body, word, { 'last-event-id': unknown });
    expect([lost.status, await typeOf(lost)]).toEqual([409, 'answer_not_kept']);
    expect(askedFor(gateway, word)).toBe(0);
    await (await ask(paths.chat, body, word)).text();
    const mixed = await ask(paths.chat, body, word, { 'last-event-id': unknown });
    expect(mixed.status).toBe(409);
    const odd = await ask(paths.chat, body, word, { 'last-event-id': '3' });
    expect([odd.status, await typeOf(odd)]).toEqual([400, 'invalid_parameter']);
  });

  test('events of a running stream are in the store before it ends', async () => {
    const word = newWord();
    const reply = await ask(
      paths.chat,
      filled(chatOf('[[pace 40]] [[chunks 15]] WORD', { stream: true }), word),
      word,
    );
    const parts = async (): Promise<number> => {
      const [row] = await gateway.query<{ parts: number }>(sql`
        select count(*) as parts from repeatable_call_parts join repeatable_calls using (space_id, call_id)
        where key = ${word} and state = 'running'`);
      return row?.parts ?? 0;
    };
    await vi.waitFor(async () => expect(await parts()).toBeGreaterThan(0), PATIENCE);
    expect(await reply.text()).toContain('[DONE]');
  });

  test('after 24 hours the key is free, and the sweep removes the answer', async () => {
    const word = newWord();
    const body = filled(chatOf('WORD'), word);
    const first = await ask(paths.chat, body, word);
    await vi.waitFor(async () => {
      const [row] = await gateway.query<{ charged: boolean }>(
        sql`select charged from repeatable_calls where key = ${word}`,
      );
      expect(row?.charged).toBe(true);
    }, PATIENCE);
    clock.shift(DAY_MS + 1_000);
    const again = await ask(paths.chat, body, word);
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(askedFor(gateway, word)).toBe(2);
    clock.shift(DAY_MS + 1_000);
    await gateway.sweepAll();
    expect(await gateway.query(sql`select 1 from repeatable_calls`)).toEqual([]);
    expect(await gateway.query(sql`select 1 from repeatable_call_parts`)).toEqual([]);
  });
});
