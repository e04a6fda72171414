/** What a call is attributed to: the header, the request, the defaults of its key and member, in this order. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ReceiptObject } from '../../src/contract/receipt.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

/** A provider that keeps what it was sent. */
async function startRecorder() {
  const received: Received[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Record<string, unknown>;
    received.push({ headers: request.headers, body });
    response.writeHead(200, { 'content-type': 'application/json' });
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const message = { role: 'assistant', content: 'Yes' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    response.end(
      JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }),
    );
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    received,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(resolve)).then(() => undefined),
  };
}

describe.each(engines)('what calls are attributed to, on %s', (engine) => {
  let recorder: Awaited<ReturnType<typeof startRecorder>>;
  let gateway: TestGateway;
  beforeAll(async () => {
    recorder = await startRecorder();
    gateway = await startGateway({
      engine,
      config: testConfig({
        providers: { recorder: { dialect: 'openai', base_url: `${recorder.origin}/v1`, api_key: 'k' } },
        models: {
          seen: { capabilities: ['streaming'], routes: [{ provider: 'recorder', model: 'm' }] },
          'sim-chat': { batch: true },
          'sim-embed': { endpoints: ['embeddings'], routes: [{ provider: 'simulator', model: 'sim-embed' }] },
        },
        prices: {
          seen: { input: 1, output: 1 },
          'sim-chat': { batch_input: 1.25, batch_output: 5 },
          'sim-embed': { input: 1 },
        },
        limits: { tag_values: 8, tag_keys: 20 },
      }),
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await recorder.stop();
  });

  function post(path: string, body: object, more: { key?: string; headers?: Record<string, string> } = {}) {
    const { key = gateway.key, headers = {} } = more;
    return fetch(`${gateway.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    });
  }

  async function attributed(
    path: string,
    body: object,
    more: { key?: string; headers?: Record<string, string> } = {},
  ): Promise<ReceiptObject['attribution']> {
    const reply = await post(path, body, more);
    const text = await reply.text();
    expect(reply.status, text).toBe(200);
    const id = reply.headers.get('x-request-id') ?? '';
    const { key = gateway.key } = more;
    return await vi.waitFor(async () => {
      const receipt = await fetch(`${gateway.url}/v1/receipts/${id}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(receipt.status).toBe(200);
      return ((await receipt.json()) as ReceiptObject).attribution;
    }, PATIENCE);
  }

  const messages = [{ role: 'user', content: 'hi' }];
  const chat = (more: object = {}) => ({ model: 'seen', messages, ...more });
  const CHAT = '/v1/chat/completions';
  const tags = (text: string) => ({ headers: { 'x-tollgate-tags': text } });

  test('a call that says nothing is attributed to nothing', async () => {
    expect(await attributed(CHAT, chat())).toBeNull();
  });

  test('the header goes before the metadata, those before the key, and the key before its member', async () => {
    await gateway.admin('members.add', {
      space: 'acme',
      email: 'ann@acme.test',
      nickname: 'Ann',
      role: 'member',
    });
    const { key } = await gateway.admin('keys.create', {
      space: 'acme',
      name: 'anns',
      kind: 'personal',
      email: 'ann@acme.test',
    });
    await gateway.admin('members.tags', {
      space: 'acme',
      email: 'ann@acme.test',
      tags: 'team=member,site=member',
    });
    await gateway.admin('keys.tags', { space: 'acme', name: 'anns', tags: ' team = key , feature=key ' });
    expect(await attributed(CHAT, chat(), { key })).toEqual({
      ...{ 'tag:team': 'key', 'tag:feature': 'key', 'tag:site': 'member' },
    });
    const body = chat({
      metadata: { team: 'body', feature: 'body', 'not a key!': 'x', long: 'x'.repeat(200) },
    });
    expect(await attributed(CHAT, body, { key, ...tags('team=header') })).toEqual({
      ...{ 'tag:team': 'header', 'tag:feature': 'body', 'tag:site': 'member' },
    });
    await expect(gateway.admin('keys.tags', { space: 'acme', name: 'anns', tags: 'team' })).rejects.toThrow(
      'key=value',
    );
  });

  test('end users and sessions are read in every format, and are not mixed up', async () => {
    expect(await attributed(CHAT, chat({ user: 'u1', prompt_cache_key: 's1' }))).toEqual({
      end_user: 'u1',
      session: 's1',
    });
    expect(await attributed(CHAT, chat({ safety_identifier: 'new', user: 'old' }))).toEqual({
      end_user: 'new',
    });
    expect(await attributed('/v1/embeddings', { model: 'sim-embed', input: 'x', user: 'u2' })).toEqual({
      end_user: 'u2',
    });
    const responses = { model: 'sim-chat', input: 'hi', store: false, metadata: { team: 'r' }, user: 'u3' };
    expect(await attributed('/v1/responses', responses)).toEqual({ 'tag:team': 'r', end_user: 'u3' });
    const userId = 'user_abc_account_def_session_0f0e0d0c-1111';
    const message = { model: 'sim-chat', max_tokens: 5, messages, metadata: { user_id: userId } };
    const headers = { 'anthropic-version': '2023-06-01' };
    expect(await attributed('/v1/messages', message, { headers })).toEqual({
      end_user: 'user_abc_account_def',
      session: '0f0e0d0c-1111',
    });
  });

  test.each([
    ['team', 'must be pairs'],
    ['=search', 'has a key'],
    ['team name=search', 'has a key'],
    ['team=', 'has a value'],
    ['team=a,team=b', 'twice'],
    [`team=${'x'.repeat(129)}`, 'has a value'],
    [Array.from({ length: 17 }, (_, i) => `k${i}=v`).join(','), 'more than 16'],
  ])('the header %j answers 400, naming it', async (sent, said) => {
    const reply = await post(CHAT, chat(), tags(sent));
    const { error } = (await reply.json()) as { error: { message: string; param: string; code: string } };
    expect([reply.status, error.param]).toEqual([400, 'x-tollgate-tags']);
    expect(error.message).toContain(said);
  });

  test('the header is not sent on, and metadata reaches a provider only in its own field', async () => {
    recorder.received.length = 0;
    await attributed(CHAT, chat({ user: 'kim' }), tags('team=secret-team'));
    const [sent] = recorder.received;
    expect(JSON.stringify(sent)).not.toContain('secret-team');
    expect(sent?.body.user).toBeDefined();
  });

  test('values beyond the bound of a month are reported as other, with the same total', async () => {
    const made = [...'abcdefghiji'];
    for (const value of made) {
      const found = await attributed(CHAT, chat(), tags(`bound=${value}`));
      expect(found).toEqual({ 'tag:bound': value < 'i' ? value : null });
    }
    const { rows, total } = await gateway.admin('reports.usage', {
      space: 'acme',
      by: 'tag:bound',
      and: 'model',
    });
    const counts = rows.map(({ name, kind, and_name, requests }) => [name, kind, and_name, requests]);
    expect(counts).toContainEqual(['other', 'other', 'seen', 3]);
    expect(counts.filter(([, kind]) => kind === 'value')).toHaveLength(8);
    const whole = await gateway.admin('reports.usage', { space: 'acme', by: 'model' });
    expect(total).toEqual(whole.total);
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
  });

  test('lines of a batch have the tags of its header, their own and those of the batch, and its charge is split', async () => {
    const stage = new BatchStage(gateway);
    const input = await stage.upload([
      chatLine('1', 'one', { metadata: { team: 'line', step: 'one' } }),
      chatLine('2', 'two', { user: 'kim' }),
      chatLine('3', 'three'),
    ]);
    const of = { input_file_id: input, metadata: { team: 'batch', kind: 'nightly' } };
    const reply = await stage.submit(of, { 'x-tollgate-tags': 'run=r1' });
    const { id } = (await reply.json()) as { id: string };
    const { settled_units: units } = await stage.settled(id);
    const cells = await gateway.admin('reports.usage', { space: 'acme', by: 'tag:run', and: 'tag:team' });
    const ofRun = cells.rows.filter(({ name }) => name === 'r1');
    expect(ofRun.map(({ and_name, requests }) => [and_name, requests]).toSorted()).toEqual([
      ['batch', 2],
      ['line', 1],
    ]);
    const all = await gateway.admin('reports.usage', { space: 'acme', by: 'tag:run' });
    expect(all.rows.find(({ name }) => name === 'r1')?.cost).toBe(units);
    const user = await gateway.admin('reports.usage', { space: 'acme', by: 'end_user', and: 'tag:kind' });
    expect(user.rows.find(({ name, and_name }) => name === 'kim' && and_name === 'nightly')?.requests).toBe(
      1,
    );
  });

  test('a space sees nothing of the tags of another one', async () => {
    await gateway.admin('spaces.create', { name: 'elsewhere', overage: true });
    const { key } = await gateway.admin('keys.create', {
      space: 'elsewhere',
      name: 'theirs',
      kind: 'shared',
    });
    expect(await attributed(CHAT, chat(), { key, ...tags('team=theirs,bound=z') })).toEqual({
      // Its bounds are its own too.
      ...{ 'tag:team': 'theirs', 'tag:bound': 'z' },
    });
    const { rows } = await gateway.admin('reports.usage', { space: 'acme', by: 'tag:team' });
    expect(rows.map(({ name }) => name)).not.toContain('theirs');
    const ofSpace = async (space: string) => (await gateway.admin('usage.dimensions', { space })).dimensions;
    expect(await ofSpace('elsewhere')).toEqual(['tag:bound', 'tag:team']);
    expect(await ofSpace('acme')).toEqual(expect.arrayContaining(['end_user', 'session', 'tag:run']));
    const theirs = await gateway.admin('reports.usage', { space: 'elsewhere', by: 'tag:team' });
    expect(theirs.rows.map(({ name, kind }) => [name, kind])).toEqual([['theirs', 'value']]);
  });
});
