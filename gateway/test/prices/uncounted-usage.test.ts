/**
 * Where a provider reports no usage and the gateway counts, what the answer shows is charged all the same: calls of hosted
 * tools and the tier. If they cannot be counted, the call is unpriced, never cheaper.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExactAnswer } from '../../simulator/exact-answers.ts';
import type { ReceiptObject } from '../../src/contract/receipt.ts';
import { ask, type Format } from '../matrix/ask.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import {
  bedrockAnswer,
  chatAnswer,
  failed,
  googleAnswer,
  type Json,
  messageAnswer,
  responseAnswer,
  search,
  used,
} from './unreported-answers.ts';

const simulated = 'api_key: simulator-key, simulated: true';
const tools = '{ web_search: 10, file_search: 2.5, google_search_query: 14 }';
const price = `{ input: 1, output: 1, tools: ${tools}, when: [{ tier: priority, factor: 2 }] }`;
const config = `
providers:
  chat: { dialect: openai-compatible, base_url: SIMULATOR, ${simulated} }
  responses: { dialect: openai-responses, base_url: SIMULATOR, ${simulated} }
  messages: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, ${simulated} }
  google: { dialect: google, base_url: SIMULATOR_ORIGIN/v1beta, ${simulated} }
  bedrock: { dialect: bedrock, base_url: SIMULATOR_ORIGIN, region: us-east-1, ${simulated} }
models:
  chat: { routes: [{ provider: chat, model: sim-chat }] }
  responses: { routes: [{ provider: responses, model: sim-chat }] }
  messages: { routes: [{ provider: messages, model: sim-claude }] }
  google: { routes: [{ provider: google, model: sim-gemini }] }
  bedrock: { routes: [{ provider: bedrock, model: sim-chat }] }
prices:
  version: seen
  models: { chat: ${price}, responses: ${price}, messages: ${price}, google: ${price}, bedrock: ${price} }
`;

interface Case {
  readonly what: string;
  readonly model: string;
  readonly formats: readonly Format[];
  readonly answer: ExactAnswer;
  readonly streamed?: readonly boolean[];
  readonly more?: Json;
  /** Lines of tools as `name count`; null: the call is unpriced. */
  readonly charged: readonly string[] | null;
  /** The price of input; 2 in priority. */
  readonly input?: string;
}

const all: readonly Format[] = ['chat', 'responses', 'messages'];
const sources = [{ type: 'url_citation', url_citation: { url: 'https://example.com' } }];
const searched = [search('a'), search('b'), search('c', 'open_page'), { type: 'file_search_call', id: 'f' }];
const searches = ['tool.file_search 1', 'tool.web_search 2'];
const start = { input_tokens: 100, output_tokens: 1, service_tier: 'priority' };

const cases: readonly Case[] = [
  { what: 'nothing but text', model: 'chat', formats: all, answer: chatAnswer({}), charged: [] },
  {
    what: 'a tier',
    model: 'chat',
    formats: all,
    answer: chatAnswer({ service_tier: 'priority' }),
    charged: [],
    input: '2',
  },
  {
    what: 'a tier without a price',
    model: 'chat',
    formats: all,
    answer: chatAnswer({ service_tier: 'turbo' }),
    charged: null,
  },
  {
    what: 'sources',
    model: 'chat',
    formats: all,
    answer: chatAnswer({}, { annotations: sources }),
    charged: null,
  },
  {
    what: 'sources of the answer',
    model: 'chat',
    formats: all,
    answer: chatAnswer({ citations: ['https://a.example'] }),
    charged: null,
  },
  {
    what: 'no sources',
    model: 'chat',
    formats: all,
    answer: chatAnswer({ citations: [] }, { annotations: [] }),
    charged: [],
  },
  ...[{ web_search_options: {} }, { search_parameters: { mode: 'auto' } }, { plugins: [{ id: 'web' }] }].map(
    (more): Case => ({
      ...{ what: `an offer of ${Object.keys(more)[0]}`, model: 'chat', formats: ['chat'], more },
      ...{ answer: chatAnswer({}), charged: null },
    }),
  ),
  {
    ...{
      what: 'no offer of a search',
      model: 'chat',
      formats: ['chat'],
      more: { search_parameters: { mode: 'off' } },
    },
    ...{ answer: chatAnswer({}), charged: [] },
  },
  {
    ...{ what: 'a count of searches in usage that cannot be true', model: 'chat', formats: all },
    answer: chatAnswer({
      usage: { prompt_tokens: -1, completion_tokens: 1, server_tool_use: { web_search_requests: 3 } },
    }),
    charged: ['tool.web_search 3'],
  },
  {
    what: 'items of tools',
    model: 'responses',
    formats: all,
    answer: responseAnswer(searched),
    charged: searches,
  },
  {
    ...{ what: 'items of tools and a tier', model: 'responses', formats: all, input: '2' },
    ...{ answer: responseAnswer(searched, { service_tier: 'priority' }), charged: searches },
  },
  {
    ...{
      what: 'items that the last event does not repeat',
      model: 'responses',
      formats: all,
      streamed: [true],
    },
    ...{ answer: responseAnswer(searched, {}, { repeats: false }), charged: searches },
  },
  {
    ...{
      what: 'a search that ran when the stream broke',
      model: 'responses',
      formats: ['responses'],
      streamed: [true],
    },
    // After the first search is done and the second has begun.
    ...{ answer: responseAnswer(searched, {}, { until: 4 }), charged: ['tool.web_search 2'] },
  },
  {
    ...{ what: 'a tool without a price', model: 'responses', formats: all, charged: null },
    answer: responseAnswer([{ type: 'code_interpreter_call', id: 'i', container_id: 'x' }]),
  },
  {
    ...{ what: 'counts of a tool that is unknown', model: 'responses', formats: all, charged: null },
    answer: responseAnswer([], { tool_usage: { song: { num_songs: 2 } } }),
  },
  {
    ...{ what: 'blocks of searches, one of which failed', model: 'messages', formats: all },
    answer: messageAnswer([used('web_search', 'r'), used('web_search'), failed, used('web_fetch')]),
    charged: ['tool.web_search 1'],
  },
  {
    ...{ what: 'a block of another tool', model: 'messages', formats: all, charged: null },
    answer: messageAnswer([used('code_execution')]),
  },
  {
    ...{
      what: 'blocks of searches after the first counts',
      model: 'messages',
      formats: all,
      streamed: [true],
    },
    ...{ answer: messageAnswer([used('web_search')], { start }), charged: ['tool.web_search 1'], input: '2' },
  },
  {
    ...{
      what: 'blocks of searches before a break',
      model: 'messages',
      formats: ['messages'],
      streamed: [true],
    },
    ...{
      answer: messageAnswer([used('web_search')], { start, cut: true }),
      charged: ['tool.web_search 1'],
      input: '2',
    },
  },
  {
    ...{
      what: 'queries',
      model: 'google',
      formats: all,
      answer: googleAnswer({ webSearchQueries: ['a', 'b'] }),
    },
    charged: ['tool.google_search_query 2'],
  },
  {
    ...{ what: 'sources without queries', model: 'google', formats: all, charged: null },
    answer: googleAnswer({ groundingChunks: [{ web: { uri: 'https://example.com' } }] }),
  },
  {
    ...{ what: 'a tier', model: 'bedrock', formats: all, charged: [], input: '2' },
    answer: bedrockAnswer({ serviceTier: { type: 'priority' } }),
  },
];

describe.each(engines)('an answer without usage on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    for (const [i, { answer }] of cases.entries()) gateway.simulator.answers.set(`case-${i}`, answer);
  });
  afterAll(() => gateway.stop());

  async function receiptOf(i: number, format: Format, streamed: boolean): Promise<ReceiptObject> {
    const { model, more = {} } = cases[i] as Case;
    const turns = [{ role: 'user' as const, text: `[[say case-${i}]]` }];
    const { path, headers, body } = ask(format, model, { turns, more }, streamed);
    const reply = await gateway.post(path, body, { ...headers });
    const text = await reply.text();
    expect(reply.status, text).toBe(200);
    const receipt = await fetch(`${gateway.url}/v1/receipts/${reply.headers.get('x-request-id')}`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    });
    return (await receipt.json()) as ReceiptObject;
  }

  test.each(cases.map((one, i) => [one.model, one.what, i] as const))(
    'of a provider of %s that shows %s is charged for it, or unpriced',
    async (_, __, i) => {
      const { formats, streamed = [false, true], charged, input = '1' } = cases[i] as Case;
      const asked = formats.flatMap((format) => streamed.map((streams) => ({ format, streams })));
      for (const { format, streams } of asked) {
        const how = `${format}${streams ? ', streamed' : ''}`;
        const { cost, lines, usage_source } = await receiptOf(i, format, streams);
        expect([how, usage_source]).toEqual([how, 'estimated']);
        if (charged === null) expect([how, cost, lines]).toEqual([how, null, []]);
        else {
          const shown = lines.filter(({ component }) => component.startsWith('tool.'));
          const counted = shown.map(({ component, count }) => `${component} ${count}`).toSorted();
          expect([how, counted]).toEqual([how, charged]);
          expect([how, lines.find(({ component }) => component === 'input')?.price]).toEqual([how, input]);
        }
      }
    },
  );
});
