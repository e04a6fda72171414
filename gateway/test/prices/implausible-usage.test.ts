/**
 * Counts of a provider that cannot fit into its model, or that were never sent, are not charged: the tokens are counted here,
 * and operators see what was reported.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { metricsOf, parseMetrics, sumOf } from '../support/read-metrics.ts';
import { exactAnswer } from './wire-answers.ts';

const ABSURD = 1_000_000_000;
const chat = (input: number, output: number) => ({
  ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
});

const config = changeConfig(testConfig(), {
  providers: {
    anthropic: {
      dialect: 'anthropic',
      base_url: 'SIMULATOR_ORIGIN',
      api_key: 'simulator-key',
      simulated: true,
    },
  },
  models: {
    known: {
      context_tokens: 50_000,
      output_tokens_max: 4_000,
      routes: [{ provider: 'simulator', model: 'sim-chat' }],
    },
    claude: {
      context_tokens: 50_000,
      output_tokens_max: 4_000,
      routes: [{ provider: 'anthropic', model: 'sim-claude' }],
    },
    embed: { endpoints: ['embeddings'], routes: [{ provider: 'simulator', model: 'sim-embed' }] },
  },
  prices: {
    models: { known: { input: 1, output: 2 }, claude: { input: 1, output: 2 }, embed: { input: 1 } },
  },
});

/** What is answered, and what is asked beside the prompt. */
const table: Array<[string, model: string, answer: object, more: object]> = [
  ['a prompt above the context', 'known', { usage: chat(ABSURD - 1, 1) }, {}],
  [
    'an answer above the cap of the caller',
    'known',
    { usage: chat(10, 30_000) },
    { max_completion_tokens: 50 },
  ],
  ['an answer above what the model can write', 'known', { usage: chat(10, 60_000) }, {}],
  [
    'a prompt above the bytes that were sent, of a model without a context',
    'sim-chat',
    { usage: chat(60_000, 1) },
    {},
  ],
];

describe.each(engines)('usage that cannot be true on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
  });
  afterAll(() => gateway.stop());

  async function recorded(reply: Response): Promise<Record<string, unknown>> {
    expect(reply.status).toBe(200);
    await reply.text();
    const [row] = await gateway.query<Record<string, unknown>>(sql`
      select usage_source, input_tokens, output_tokens, usage_details -> 'implausible' as implausible, cost::text as cost
      from calls where id = ${reply.headers.get('x-request-id')}`);
    return row ?? {};
  }

  test.each(table)('%s is counted instead, whole and streamed', async (what, model, answer, more) => {
    const said = what.replaceAll(/\W/g, '-');
    gateway.simulator.answers.set(said, exactAnswer({ wire: 'chat', answer } as never));
    for (const stream of [false, true]) {
      const messages = [{ role: 'user', content: `[[say ${said}]]` }];
      const reply = await gateway.chat({ model, messages, stream, ...more });
      const { input_tokens, output_tokens, ...row } = await recorded(reply);
      expect(row).toMatchObject({
        usage_source: 'estimated',
        implausible: { input_tokens: expect.any(Number) },
      });
      expect([Number(input_tokens) < 100, Number(output_tokens) < 100]).toEqual([true, true]);
      expect(Number(row.cost)).toBeLessThan(0.01);
    }
  });

  test('a prompt that a stream of messages reports at its start is not believed either', async () => {
    const usage = { input_tokens: ABSURD - 5, output_tokens: 3 };
    gateway.simulator.answers.set('start', exactAnswer({ wire: 'messages', answer: { usage } } as never));
    const reply = await gateway.post(
      '/v1/messages',
      {
        model: 'claude',
        max_tokens: 100,
        stream: true,
        messages: [{ role: 'user', content: '[[say start]]' }],
      },
      { 'vendor-version': '2023-06-01' },
    );
    expect(await recorded(reply)).toMatchObject({
      ...{ usage_source: 'estimated', implausible: { input_tokens: ABSURD - 5, output_tokens: 3 } },
    });
  });

  test('an embedding is held to its input', async () => {
    const vector = Array.from({ length: 8 }, () => 0.5);
    const body = {
      ...{ object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding: vector }] },
      usage: { prompt_tokens: ABSURD, total_tokens: ABSURD },
    };
    gateway.simulator.answers.set('vector', { body: JSON.stringify(body) });
    const reply = await gateway.post('/v1/embeddings', { model: 'embed', input: '[[say vector]]' });
    expect(await recorded(reply)).toMatchObject({ usage_source: 'estimated', output_tokens: 0 });
  });

  test('operators see what was reported, callers do not, and the books agree', async () => {
    gateway.simulator.answers.set(
      'shown',
      exactAnswer({ wire: 'chat', answer: { usage: chat(ABSURD, 0) } } as never),
    );
    const reply = await gateway.chat({
      model: 'known',
      messages: [{ role: 'user', content: '[[say shown]]' }],
    });
    const ref = reply.headers.get('x-request-id') as string;
    const { call } = await gateway.admin('why', { ref });
    expect(call?.usage.details).toEqual({ implausible: { input_tokens: ABSURD, output_tokens: 0 } });
    const receipt = await fetch(`${gateway.url}/v1/receipts/${ref}`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    });
    expect(await receipt.json()).toMatchObject({ usage_source: 'estimated', usage: { details: null } });
    const series = parseMetrics(await (await metricsOf(gateway)).text());
    expect(sumOf(series, 'tollgate_implausible_usage_total', { model: 'known' })).toBeGreaterThanOrEqual(7);
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
  });

  test('large counts that fit are believed', async () => {
    const usage = chat(90_000, 7_000);
    gateway.simulator.answers.set('fits', exactAnswer({ wire: 'chat', answer: { usage } } as never));
    const reply = await gateway.chat({
      model: 'known',
      messages: [{ role: 'user', content: '[[say fits]]' }],
    });
    expect(await recorded(reply)).toMatchObject({
      usage_source: 'provider',
      input_tokens: 90_000,
      implausible: null,
    });
  });
});
