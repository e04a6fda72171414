/** A gateway with models that embed: on both dialects, with and without limits, and some that fail. */
import { expect } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { multiplyUnits, parseUnits, printUnits } from '../../src/kernel/units.ts';
import type { TestGateway } from './gateway.ts';

const PRICE = '0.1';
export const embeddingsConfig = `
providers:
  simulator: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
  google: { dialect: google, base_url: SIMULATOR_ORIGIN/v1beta, api_key: simulator-key, simulated: true }
  anthropic: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, api_key: simulator-key, simulated: true }
models:
  sim-embed:
    endpoints: [embeddings]
    capabilities: [dimensions]
    embeddings: { input_tokens_max: 8191, inputs_max: 2048 }
    routes: [{ provider: simulator, model: sim-embed }]
  sim-embed-fixed: { endpoints: [embeddings], capabilities: [], routes: [{ provider: simulator, model: sim-embed-fixed }] }
  small:
    endpoints: [embeddings]
    capabilities: [dimensions]
    embeddings: { input_tokens_max: 8, inputs_max: 3, total_tokens_max: 12 }
    routes: [{ provider: simulator, model: sim-embed }]
  gemini:
    endpoints: [embeddings]
    capabilities: [dimensions]
    routes: [{ provider: google, model: sim-embed }]
  # Without limits of its own, so that the provider is the one to refuse.
  unlimited: { endpoints: [embeddings], capabilities: [dimensions], routes: [{ provider: simulator, model: sim-embed-fixed }] }
  misplaced: { endpoints: [embeddings], routes: [{ provider: anthropic, model: sim-embed }] }
  failing: { endpoints: [embeddings], routes: [{ provider: simulator, model: sim-fault-error-500 }] }
  silent: { endpoints: [embeddings], routes: [{ provider: simulator, model: sim-fault-missing-usage }] }
  sim-chat: { routes: [{ provider: simulator, model: sim-chat }] }
prices:
  version: test-1
  models:
    sim-embed: { input: ${PRICE} }
    gemini: { input: ${PRICE} }
    silent: { input: ${PRICE} }
`;

export interface EmbeddingsAnswer {
  data: Array<{ index: number; embedding: number[] | string }>;
  model: string;
  usage: { prompt_tokens: number; total_tokens: number };
  estimated_cost: { amount: string } | null;
}

export const bits = (embedding: number[] | string): number[] => {
  const bytes =
    typeof embedding === 'string'
      ? new Uint8Array(Buffer.from(embedding, 'base64'))
      : new Uint8Array(Float32Array.from(embedding).buffer);
  return [...new Uint32Array(bytes.buffer)];
};
export const costOf = (tokens: number): string =>
  printUnits(multiplyUnits(parseUnits(PRICE), { count: tokens, per: 1_000_000 }));

export async function askEmbeddings(
  gateway: TestGateway,
  body: object,
): Promise<{ json: EmbeddingsAnswer; headers: Headers }> {
  const reply = await gateway.post('/v1/embeddings', body);
  expect(reply.status).toBe(200);
  return { json: (await reply.json()) as EmbeddingsAnswer, headers: reply.headers };
}

export async function embeddingRow(
  gateway: TestGateway,
  id: string | null,
): Promise<Record<string, unknown>> {
  const [row] = await gateway.query<Record<string, unknown>>(sql`select * from calls where id = ${id}`);
  if (row === undefined) throw new Error(`no call ${id}`);
  return row;
}
