/** The receipts of batch lines: the same lines as the receipt of a call, in both engines. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExactAnswer } from '../../simulator/exact-answers.ts';
import type { BatchObject } from '../../src/contract/batches.ts';
import type { ReceiptObject } from '../../src/contract/receipt.ts';
import { sql } from '../../src/database/sql.ts';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { BatchStage, chatLine, type ResultLine } from '../support/batches-stage.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const config = `
providers:
  simulator: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
  anthropic: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, api_key: simulator-key, simulated: true }
models:
  own: { batch: own, routes: [{ provider: simulator, model: sim-chat }] }
  theirs: { batch: provider, routes: [{ provider: simulator, model: sim-chat }] }
  claude: { batch: provider, routes: [{ provider: anthropic, model: sim-claude }] }
prices:
  version: lines
  models:
    own: &price
      { input: 2, cached_input: 0.2, cache_write_1h: 4, output: 10, request: 0.001, when: [{ batch: true, factor: 0.5 }] }
    theirs: *price
    claude: *price
limits: { batch_poll_ms: 50 }
`;

const chatAnswer = (usage: object): ExactAnswer => ({
  body: JSON.stringify({
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'sim-chat' },
    choices: [{ index: 0, message: { role: 'assistant', content: 'Yes' }, finish_reason: 'stop' }],
    usage,
  }),
});
const usage = {
  ...{ prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
  prompt_tokens_details: { cached_tokens: 600 },
  completion_tokens_details: { reasoning_tokens: 40 },
};
const claudeAnswer = JSON.stringify({
  ...{ id: 'm', type: 'message', role: 'assistant', model: 'sim-claude', stop_reason: 'end_turn' },
  content: [{ type: 'text', text: 'Yes' }],
  usage: {
    ...{
      input_tokens: 300,
      cache_read_input_tokens: 600,
      cache_creation_input_tokens: 100,
      output_tokens: 100,
    },
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 100 },
  },
});

const chatLines = [
  ['input', 400, '1', '0.0004'],
  ['cached_input', 600, '0.1', '0.00006'],
  ['output', 60, '5', '0.0003'],
  ['reasoning', 40, '5', '0.0002'],
  ['request', 1, '0.001', '0.001'],
];
const claudeLines = [
  ['input', 300, '1', '0.0003'],
  ['cached_input', 600, '0.1', '0.00006'],
  ['cache_write_1h', 100, '2', '0.0002'],
  ['output', 100, '5', '0.0005'],
  ['request', 1, '0.001', '0.001'],
];

describe.each(engines)('receipts of batch lines on %s', (engine) => {
  let gateway: TestGateway;
  let stage: BatchStage;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    stage = new BatchStage(gateway);
    const { answers } = gateway.simulator;
    answers.set('chat', chatAnswer(usage));
    answers.set('claude', { body: claudeAnswer });
    answers.set('strange', chatAnswer({ ...usage, song_tokens: 3 }));
  });
  afterAll(() => gateway.stop());

  const line = (id: string, model: string, say: string, more = {}): string =>
    chatLine(id, say, { model, ...more });
  const idOf = (found: ResultLine | undefined): string => found?.response?.request_id ?? '';
  const receipt = async (id: string, key = gateway.key): Promise<Response> =>
    await fetch(`${gateway.url}/v1/receipts/${id}`, { headers: { authorization: `Bearer ${key}` } });
  const settled = async (lines: readonly string[]): Promise<BatchObject> =>
    await stage.settled((await stage.submitted(lines)).id);

  test.each([
    ['own', 'chat', chatLines, '0.00196'],
    ['theirs', 'chat', chatLines, '0.00196'],
    ['claude', 'claude', claudeLines, '0.00206'],
  ])('of %s add up to the cost and the tokens, as those of calls', async (model, answer, lines, cost) => {
    const batch = await settled([line('a', model, `[[say ${answer}]]`)]);
    const found = (await stage.lines(batch.output_file_id)).get('a');
    const reply = await receipt(idOf(found));
    expect(reply.status).toBe(200);
    const shown = (await reply.json()) as ReceiptObject;
    expect(shown).toMatchObject({
      ...{ id: idOf(found), object: 'receipt', endpoint: 'chat', model, batch_id: batch.id, streamed: false },
      ...{ outcome: 'completed', problem: null, finish_reason: 'stop', attempts: 1, attempt_log: null },
      ...{ usage_source: 'provider', price_version: 'lines', cost, current_cost: cost, corrections: [] },
      usage: { input_tokens: 1_000, cached_input_tokens: 600, output_tokens: 100, images: null },
    });
    expect(
      shown.lines.map(({ component, count, price, amount }) => [component, count, price, amount]),
    ).toEqual(lines);
    expect(printUnits(sumUnits(shown.lines.map(({ amount }) => parseUnits(amount))))).toBe(cost);
    expect(found?.response?.body.estimated_cost?.amount).toBe(cost);
    expect(batch.settled_units).toBe(cost);
    expect([Date.parse(shown.charged_at), shown.month]).toEqual(await chargedAt(batch.id));
  });

  const chargedAt = async (id: string): Promise<[at: number | undefined, month: string | undefined]> => {
    const [row] = await gateway.query<{ at: number; month: string }>(
      sql`select settled_at as at, settled_month as month from batches where id = ${id}`,
    );
    return [row?.at, row?.month];
  };

  test.each(['own', 'theirs'])(
    'of %s show a failed line as free, and not one that was rejected',
    async (model) => {
      const batch = await settled([
        line('good', model, '[[say chat]]'),
        line('failed', model, 'hi [[fault error-422]]'),
        line('rejected', model, 'hi', { temperature: 9 }),
      ]);
      const bad = await stage.lines(batch.error_file_id);
      const failed = (await (await receipt(idOf(bad.get('failed')))).json()) as ReceiptObject;
      expect(failed).toMatchObject({
        ...{ outcome: 'failed', problem: bad.get('failed')?.response?.body.error?.code, batch_id: batch.id },
        ...{ usage_source: 'none', lines: [], cost: '0', current_cost: '0', price_version: null },
      });
      expect((await receipt(idOf(bad.get('rejected')))).status).toBe(404);
    },
  );

  test('belong to the owner of the key, and administration shows them with the entry that charged the batch', async () => {
    const batch = await settled([line('a', 'theirs', '[[say chat]]')]);
    const id = idOf((await stage.lines(batch.output_file_id)).get('a'));
    const { key: another } = await gateway.admin('keys.create', { name: 'another', kind: 'shared' });
    await gateway.admin('spaces.create', { name: 'beside', overage: true });
    const { key: outside } = await gateway.admin('keys.create', {
      name: 'k',
      kind: 'shared',
      space: 'beside',
    });
    for (const key of [another, outside]) {
      const [theirs, unknown] = [await receipt(id, key), await receipt('req_01k0000000000000000000000', key)];
      expect([theirs.status, unknown.status]).toEqual([404, 404]);
    }
    const [entry] = await gateway.query<{ id: number }>(sql`select id from journal where ref = ${batch.id}`);
    const why = await gateway.admin('why', { ref: id });
    expect([why.space, why.key]).toEqual(['acme', 'test']);
    expect(why.call).toMatchObject({
      ...{ route: 'simulator/sim-chat', journal_entry: entry?.id, batch_id: batch.id, cost: '0.00196' },
    });
    const seen = await gateway.admin('requests.get', { space: 'acme', request: id });
    expect(seen.call?.lines).toEqual(why.call?.lines);
    await expect(gateway.admin('requests.get', { space: 'beside', request: id })).rejects.toThrow(
      'no record',
    );
  });

  test('appear only when their batch is charged', async () => {
    const { id } = await stage.submitted([line('a', 'own', '[[say strange]]')]);
    await stage.until(id, ({ settlement_status }) => settlement_status === 'quarantined');
    const [row] = await gateway.query<{ id: string }>(
      sql`select id from line_receipts where batch_id = ${id}`,
    );
    expect((await receipt(row?.id ?? '')).status).toBe(404);
  });

  test('are part of the books: one that differs from its batch is found', async () => {
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
    const batch = await settled([line('a', 'own', '[[say chat]]')]);
    await gateway.query(sql`update line_receipts set cost = cost + 1 where batch_id = ${batch.id}`);
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([
      {
        ...{ rule: 'the receipts of a batch add up to what it cost', space: 'acme' },
        ...{ where: `batch ${batch.id}`, expected: '0.00196', found: '1.00196' },
      },
    ]);
  });
});
