/** From what a provider counted to the receipt: tiers, tools, lifetimes, and what has no price. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReceiptObject } from '../../src/contract/receipt.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { runCli } from '../support/run-cli.ts';

const config = `
providers:
  chat: { dialect: openai, base_url: FAKE/v1, api_key: k }
  messages: { dialect: anthropic, base_url: FAKE, api_key: k }
  gemini: { dialect: google, base_url: FAKE/v1beta, api_key: k }
models:
  gpt: { routes: [{ provider: chat, model: gpt }] }
  claude: { routes: [{ provider: messages, model: claude }] }
  gemini: { routes: [{ provider: gemini, model: gemini }] }
prices:
  version: whole
  models:
    gpt:
      - input: 2
        cached_input: 0.2
        cache_write: 2.5
        output: 10
        tools: { web_search: 10, file_search: 2.5 }
        when:
          - { context_above: 272000, factors: { input: 2, cached_input: 2, cache_write: 2, output: 1.5 } }
          - { tier: flex, factor: 0.5 }
      - { from: 2126-01-01T00:00:00Z, input: 7, output: 70 }
    claude: { input: 5, cached_input: 0.5, cache_write_5m: 6.25, cache_write_1h: 10, output: 25, tools: { web_search: 10 } }
    gemini: { input: 2, output: 12, tools: { google_search_query: 14 }, when: [{ tier: priority, factor: 2 }] }
`;

const messages = [{ role: 'user', content: 'Hi' }];

/** Administration shows whole seconds. */
const toSecond = (time: string): number => Math.floor(Date.parse(time) / 1_000) * 1_000;

describe.each(engines)('the price of a call on %s', (engine) => {
  let gateway: TestGateway;
  let server: Server;
  let answer: { body: string; type?: string; headers?: Record<string, string> } = { body: '{}' };

  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      request.on('end', () => {
        response.writeHead(200, { 'content-type': answer.type ?? 'application/json', ...answer.headers });
        response.end(answer.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const fake = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    gateway = await startGateway({ engine, config: config.replaceAll('FAKE', fake) });
  });
  afterAll(async () => {
    await gateway.stop();
    server.close();
  });

  const chatAnswer = (usage: object, more: object = {}): string =>
    JSON.stringify({
      ...{ id: 'c', object: 'chat.completion', created: 1, model: 'gpt', ...more },
      choices: [{ index: 0, message: { role: 'assistant', content: 'Yes' }, finish_reason: 'stop' }],
      usage,
    });

  /** The receipt of a call, as its caller reads it. */
  async function receiptOf(path: string, body: object): Promise<ReceiptObject> {
    const reply = await gateway.post(path, body, { 'anthropic-version': '2023-06-01' });
    await reply.text();
    expect(reply.status).toBe(200);
    const id = reply.headers.get('x-request-id') as string;
    const receipt = await fetch(`${gateway.url}/v1/receipts/${id}`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    });
    return (await receipt.json()) as ReceiptObject;
  }
  const chat = (more: object = {}): Promise<ReceiptObject> =>
    receiptOf('/v1/chat/completions', { model: 'gpt', messages, ...more });
  const lines = (receipt: ReceiptObject): string[] =>
    receipt.lines.map(({ component, count, price, amount }) => `${component} ${count} ${price} ${amount}`);

  const usage = {
    ...{ prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 },
    prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
  };

  test('follows the tier of the answer, whole and streamed, and the receipt names it', async () => {
    const flex = ['input 100 1 0.0001', 'cached_input 600 0.1 0.00006', 'cache_write 300 1.25 0.000375'];
    answer = { body: chatAnswer(usage, { service_tier: 'flex' }) };
    const whole = await chat({ service_tier: 'auto' });
    expect(lines(whole)).toEqual([...flex, 'output 10 5 0.00005']);
    expect([whole.cost, whole.usage.details]).toEqual(['0.000585', { tier: 'flex' }]);
    const chunk = (choices: object[], more: object = {}): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt', service_tier: 'flex', choices, ...more })}\n\n`;
    answer = {
      type: 'text/event-stream',
      body: `${chunk([{ index: 0, delta: { content: 'Yes' }, finish_reason: null }])}${chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])}${chunk([], { usage })}data: [DONE]\n\n`,
    };
    const streamed = await chat({ stream: true });
    expect([streamed.cost, streamed.usage.details]).toEqual(['0.000585', { tier: 'flex' }]);
  });

  test('of a plain call has no details', async () => {
    answer = { body: chatAnswer({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }) };
    expect((await chat()).usage.details).toBeNull();
  });

  test('counts the searches and containers of a response', async () => {
    const search = { type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search' } };
    const opened = { ...search, action: { type: 'open_page' } };
    const said = {
      type: 'message',
      id: 'm',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Yes' }],
    };
    answer = {
      body: JSON.stringify({
        ...{ id: 'r', object: 'response', status: 'completed', model: 'gpt' },
        output: [search, opened, { type: 'file_search_call', id: 'fs' }, said],
        usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
      }),
    };
    const receipt = await receiptOf('/v1/responses', { model: 'gpt', input: 'Hi' });
    expect(lines(receipt).slice(2)).toEqual(['tool.web_search 1 10 0.01', 'tool.file_search 1 2.5 0.0025']);
    expect(receipt.usage.details).toEqual({ tools: { web_search: 1, file_search: 1 } });
  });

  test('includes the compaction and the lifetimes of a message', async () => {
    const counts = { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 0 };
    const lifetimes = {
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    };
    const compaction = { type: 'compaction', input_tokens: 1_000, output_tokens: 50 };
    answer = {
      body: JSON.stringify({
        ...{ id: 'm', type: 'message', role: 'assistant', model: 'claude', stop_reason: 'end_turn' },
        content: [{ type: 'text', text: 'Yes' }],
        usage: { ...counts, ...lifetimes, iterations: [compaction, { type: 'message', ...counts }] },
      }),
    };
    const receipt = await receiptOf('/v1/messages', { model: 'claude', max_tokens: 9, messages });
    expect(lines(receipt)).toEqual([
      'input 1100 5 0.0055',
      'cache_write_5m 10 6.25 0.0000625',
      'cache_write_1h 20 10 0.0002',
      'output 60 25 0.0015',
    ]);
    expect(receipt.usage.details).toEqual({ cache_writes: { '5m': 10, '1h': 20 }, context_tokens: 130 });
    const translated = await gateway.chat({ model: 'claude', messages });
    const { usage: shown } = (await translated.json()) as { usage: { prompt_tokens_details: object } };
    expect(shown.prompt_tokens_details).toEqual({ cached_tokens: 0, cache_write_tokens: 30 });
  });

  test('follows the tier in a header, and counts the queries of a grounded answer', async () => {
    const candidate = { content: { parts: [{ text: 'Yes' }] }, finishReason: 'STOP' };
    answer = {
      headers: { 'x-gemini-service-tier': 'priority' },
      body: JSON.stringify({
        candidates: [{ ...candidate, groundingMetadata: { webSearchQueries: ['a', 'b'] } }],
        usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
      }),
    };
    const receipt = await receiptOf('/v1/chat/completions', { model: 'gemini', messages });
    expect(lines(receipt)).toEqual([
      'input 100 4 0.0004',
      'output 10 24 0.00024',
      'tool.google_search_query 2 14 0.028',
    ]);
  });

  test('is unknown without a price for everything, and the missing prices are listed', async () => {
    const { data: before } = await gateway.admin('prices.missing');
    expect(before).toEqual([]);
    answer = { body: chatAnswer(usage, { service_tier: 'turbo' }) };
    const [turbo, again] = [await chat(), await chat()];
    expect([turbo.cost, turbo.lines, turbo.usage.details]).toEqual([
      null,
      [],
      { tier: 'turbo', missing: ['tier:turbo'] },
    ]);
    const strange = { ...usage, prompt_tokens_details: { song_tokens: 4, audio_tokens: 7 } };
    answer = { body: chatAnswer(strange) };
    const unknown = await chat();
    expect(unknown.usage.details).toEqual({ audio_input_tokens: 7, missing: ['audio_input', 'usage'] });
    const { data, complete } = await gateway.admin('prices.missing');
    expect(complete).toBe(true);
    const shown = data.map(({ model, missing, calls }) => [model, missing, calls]);
    expect(shown).toEqual([
      ['gpt', 'tier:turbo', 2],
      ['gpt', 'audio_input', 1],
      ['gpt', 'usage:prompt_tokens_details.song_tokens', 1],
    ]);
    const [first] = data;
    expect([first?.first_at, first?.last_at].map((at) => Date.parse(at as string))).toEqual([
      toSecond(turbo.started_at),
      toSecond(again.started_at),
    ]);
    const seen = await gateway.admin('requests.get', { space: 'acme', request: unknown.id });
    expect(seen.call?.usage.details?.unknown).toEqual({ 'prompt_tokens_details.song_tokens': 4 });
    const later = await gateway.admin('prices.missing', { from: '2126-01-01T00:00:00Z' });
    expect(later.data).toEqual([]);
    const printed = await runCli([
      ...['prices', 'missing', '--data', gateway.folder, '--config', gateway.configFile],
    ]);
    expect(printed.stdout).toMatch(/gpt +tier:turbo +2/);
  });
});
