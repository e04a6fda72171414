/** The first vertical slice: a chat call through every layer, on both engines. */
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../src/database/sql.ts';
import { engines } from './support/engines.ts';
import { startGateway, type TestGateway } from './support/gateway.ts';

interface CallRow {
  id: string;
  cost: string | null;
  outcome: string;
  usage_source: string;
  input_tokens: number;
  output_tokens: number;
  price_version: string | null;
}

describe.each(engines)('chat on %s', (engine) => {
  let gateway: TestGateway;
  let openai: OpenAI;

  beforeAll(async () => {
    gateway = await startGateway({ engine });
    openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
  });
  afterAll(() => gateway.stop());

  async function callRow(id: string): Promise<CallRow> {
    const [row] = await gateway.query<CallRow>(sql`select * from calls where id = ${id}`);
    if (row === undefined) throw new Error(`no call ${id}`);
    return row;
  }

  test('the official client gets an answer whose cost is the charged amount, digit for digit', async () => {
    const { data, response } = await openai.chat.completions
      .create({ model: 'sim-chat', messages: [{ role: 'user', content: 'Reply with exactly: It works' }] })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe('It works');
    expect(data.model).toBe('sim-chat');
    const row = await callRow(response.headers.get('x-request-id') as string);
    const cost = (data as unknown as { estimated_cost: { amount: string; currency: string } }).estimated_cost;
    expect(cost.currency).toBe('unit');
    expect(response.headers.get('x-tollgate-cost-units')).toBe(cost.amount);
    const expected =
      (2.5 * (data.usage?.prompt_tokens ?? 0) + 10 * (data.usage?.completion_tokens ?? 0)) / 1e6;
    expect(Number(cost.amount)).toBeCloseTo(expected, 12);
    expect(Number(row.cost)).toBe(Number(cost.amount));
    expect(row).toMatchObject({ outcome: 'completed', usage_source: 'provider', price_version: 'test-1' });
  });
});
