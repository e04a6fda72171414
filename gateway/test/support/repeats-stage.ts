/** What the tests of requests with an Idempotency-Key share. */
import { sql } from '../../src/database/sql.ts';
import { testConfig } from './config.ts';
import type { TestGateway } from './gateway.ts';

export const repeatsConfig = testConfig({
  models: {
    'sim-embed': { endpoints: ['embeddings'], routes: [{ provider: 'simulator', model: 'sim-embed' }] },
    'sim-image': { endpoints: ['images'], routes: [{ provider: 'simulator', model: 'sim-image' }] },
    busy: { capabilities: ['streaming'], routes: [{ provider: 'simulator', model: 'sim-fault-error-500' }] },
    cut: { capabilities: ['streaming'], routes: [{ provider: 'simulator', model: 'sim-fault-cut-stream' }] },
  },
  prices: {
    'sim-embed': { input: 0.02 },
    'sim-image': { per_image: 0.04 },
    busy: { input: 1, output: 2 },
    cut: { input: 1, output: 2 },
  },
});

export const paths = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  embeddings: '/v1/embeddings',
  images: '/v1/images/generations',
} as const;

/** A request that only this test sends. */
export function chatOf(prompt: string, more: object = {}): object {
  return { model: 'sim-chat', messages: [{ role: 'user', content: prompt }], ...more };
}

/** How often the simulator was asked with this text in the body. */
export function askedFor(gateway: Pick<TestGateway, 'simulator'>, text: string): number {
  return gateway.simulator.calls.filter((call) => call.text.includes(text)).length;
}

/** The calls that were charged so far. */
export async function chargedCalls(gateway: Pick<TestGateway, 'query'>): Promise<string[]> {
  const rows = await gateway.query<{ id: string }>(sql`
    select id from calls where outcome <> 'failed' order by started_at, id`);
  return rows.map(({ id }) => id);
}

/** The ids of the events of a stream, and everything else. */
export function eventsOf(text: string): { ids: string[]; text: string } {
  const ids = [...text.matchAll(/^id: (.*)$/gm)].map((match) => match[1] as string);
  return { ids, text: text.replace(/^id: .*\n/gm, '') };
}
