/** Batch lines reach the model unchanged: no field is renamed, and a line with the wrong field fails. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** `declared-…` models name their output cap field in the catalogue, `silent-…` models do not. */
const models = ['own', 'provider'].flatMap((batch) => {
  const rest = `batch: ${batch}, routes: [{ provider: simulator, model: sim-chat }]`;
  return [
    `  declared-${batch}: { output_cap_field: max_completion_tokens, ${rest} }`,
    `  silent-${batch}: { ${rest} }`,
  ];
});
const names = ['declared-own', 'silent-own', 'declared-provider', 'silent-provider'];
const prices = [...names, 'compatible'].map(
  (name) => `    ${name}: { input: 2, output: 10, batch_input: 1, batch_output: 5 }`,
);
const config = `
providers:
  simulator: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
  compatible: { dialect: openai-compatible, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
limits: { batch_poll_ms: 50 }
models:
${models.join('\n')}
  compatible: { batch: own, routes: [{ provider: compatible, model: sim-chat }] }
prices:
  version: caps-1
  models:
${prices.join('\n')}
`;

describe.each(oneEngine('postgres', 'providers'))('output caps of batch lines on %s', (engine) => {
  let gateway: TestGateway;
  let stage: BatchStage;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    stage = new BatchStage(gateway);
  });
  afterAll(async () => {
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
    await gateway.stop();
  });

  test.each(names)('max_tokens fails with unsupported_parameter and is not billed: %s', async (model) => {
    const { id } = await stage.submitted([
      chatLine('wrong', 'Reply with exactly: a', { model, max_tokens: 50 }),
      chatLine('right', 'Reply with exactly: b', { model, max_completion_tokens: 50 }),
      chatLine('null', 'Reply with exactly: c', { model, max_completion_tokens: 50, max_tokens: null }),
    ]);
    const batch = await stage.settled(id);
    expect(batch.request_counts).toEqual({ total: 3, completed: 2, failed: 1 });
    const [good, bad] = [await stage.lines(batch.output_file_id), await stage.lines(batch.error_file_id)];
    const { status_code, body } = bad.get('wrong')?.response ?? {};
    expect([status_code, body?.error]).toMatchObject([
      400,
      { code: 'unsupported_parameter', param: 'max_tokens' },
    ]);
    expect(body?.error).toHaveProperty('message', expect.stringContaining('max_completion_tokens'));
    const costs = [...good.values()].map(({ response }) => Number(response?.body.estimated_cost?.amount));
    expect([...good.keys()].sort()).toEqual(['null', 'right']);
    expect(Number(batch.settled_units)).toBeCloseTo((costs[0] as number) + (costs[1] as number), 12);
  });

  test('a compatible server gets max_completion_tokens of a line unchanged, although it is renamed in calls', async () => {
    const before = gateway.simulator.calls.length;
    const content = 'Reply with exactly: d';
    const { id } = await stage.submitted([
      chatLine('line', content, { model: 'compatible', max_completion_tokens: 50 }),
    ]);
    await stage.settled(id);
    const [sent] = gateway.simulator.calls.slice(before);
    expect(sent?.body).toMatchObject({ max_completion_tokens: 50 });
  });

  test('a single call has max_tokens renamed for a model that needs the other field', async () => {
    const reply = await stage.ask('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'declared-own',
        max_tokens: 50,
        messages: [{ role: 'user', content: 'Reply with exactly: e' }],
      }),
    });
    expect(reply.status).toBe(200);
  });

  test('a single call with a field that the provider rejects is invalid_parameter', async () => {
    const reply = await stage.ask('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'silent-own',
        max_tokens: 50,
        messages: [{ role: 'user', content: 'Reply with exactly: f' }],
      }),
    });
    expect([reply.status, await reply.json()]).toMatchObject([400, { type: 'invalid_parameter' }]);
  });
});
