/** Counting tokens is free, so one space must not be able to stop it for others. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testConfig } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { letters } from '../support/random-letters.ts';

describe.each(oneEngine('postgres', 'memory'))('token counts on %s', (engine) => {
  let gateway: TestGateway;
  let other: string;
  beforeAll(async () => {
    const limits = { token_counts_per_key: 2, token_counts_per_space: 3 };
    gateway = await startGateway({ engine, config: testConfig({ limits }) });
    await gateway.admin('spaces.create', { name: 'other', overage: true });
    other = (await gateway.admin('keys.create', { name: 'other', space: 'other', kind: 'shared' })).key;
  });
  afterAll(() => gateway.stop());

  async function count(key: string, content: string): Promise<{ status: number; body: object }> {
    const reply = await gateway.post(
      '/v1/messages/count_tokens',
      { model: 'sim-chat', messages: [{ role: 'user', content }] },
      { authorization: `Bearer ${key}`, 'vendor-version': '2023-06-01' },
    );
    return { status: reply.status, body: (await reply.json()) as object };
  }

  test('one word of megabytes is counted, and delays no short count of another space', async () => {
    const done: string[] = [];
    const slow = ['x'.repeat(1_000_000), letters(1_000_000)].map((word) =>
      count(gateway.key, word).then((counted) => {
        done.push('slow');
        return counted;
      }),
    );
    const quick: number[] = [];
    while (done.length === 0) {
      const { status, body } = await count(other, 'one two three');
      expect([status, body]).toEqual([200, { input_tokens: 3 }]);
      quick.push(status);
    }
    expect(quick.length).toBeGreaterThan(1);
    for (const { status, body } of await Promise.all(slow)) {
      expect(status).toBe(200);
      expect((body as { input_tokens: number }).input_tokens).toBeGreaterThan(100_000);
    }
  });

  test('a key has a limited number of counts at the same time', async () => {
    const counts = await Promise.all(Array.from({ length: 4 }, () => count(gateway.key, letters(500_000))));
    const statuses = counts.map(({ status }) => status).sort();
    expect(statuses.slice(0, 2)).toEqual([200, 200]);
    const refused = counts.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { body } of refused) {
      expect(body).toMatchObject({
        type: 'rate_limit_exceeded',
        detail: expect.stringContaining('2 token counts'),
      });
    }
  });
});
