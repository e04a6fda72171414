/** Background responses that end while PostgreSQL does not answer. */
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { callIdOf } from '../../src/text/answer-ids.ts';
import { type FrozenStage, startFrozenStage } from '../support/frozen-stage.ts';
import { PATIENCE } from '../support/patience.ts';
import { metricsOf, parseMetrics, sumOf } from '../support/read-metrics.ts';
import { askedFor } from '../support/repeats-stage.ts';

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly error: { readonly code: string } | null;
  readonly estimated_cost: { readonly amount: string } | null;
}

describe.skipIf(inject('postgresUrl') === null)('a background response that ends during an outage', () => {
  let stage: FrozenStage;
  beforeAll(async () => {
    stage = await startFrozenStage();
  });
  afterAll(() => stage.stop());

  /** Creates one, and stops the database when the first words are stored. */
  async function createAndStop(words: string): Promise<string> {
    const input = `[[pace 50]] [[chunks 40]] Reply with exactly: ${`${words} `.repeat(40)}`;
    const made = await stage.gateway.post('/v1/responses', { model: 'sim-chat', input, background: true });
    const { id } = (await made.json()) as Shown;
    await vi.waitFor(async () => {
      const parts = await stage.gateway.query(sql`
        select 1 from repeatable_call_parts where call_id = ${callIdOf(id)} and body like '%.delta%'`);
      expect(parts).not.toHaveLength(0);
    }, PATIENCE);
    stage.proxy.stopServer();
    await vi.waitFor(() => {
      const call = stage.gateway.simulator.calls.find(({ text }) => text.includes(words));
      expect(call?.finished).toBe(true);
    }, PATIENCE);
    return id;
  }
  async function ended(id: string): Promise<Shown> {
    return await vi.waitFor(async () => {
      const reply = await fetch(`${stage.gateway.url}/v1/responses/${id}`, {
        headers: { authorization: `Bearer ${stage.gateway.key}` },
      });
      const response = (await reply.json()) as Shown;
      expect(['completed', 'failed']).toContain(response.status);
      return response;
    }, PATIENCE);
  }
  const charges = (id: string): Promise<Array<{ outcome: string; cost: string }>> =>
    stage.gateway.query(sql`
      select outcome, trim_scale(cost)::text as cost from calls where id = ${callIdOf(id)}`);

  async function inFlight(): Promise<number | null> {
    const page = await (await metricsOf(stage.gateway)).text();
    return sumOf(parseMetrics(page), 'tollgate_requests_in_flight');
  }

  test('that is short is complete afterwards, with one charge and one call to the provider', async () => {
    const id = await createAndStop('short outage');
    stage.proxy.startServer();
    const { status, estimated_cost: cost } = await ended(id);
    expect(status).toBe('completed');
    expect(await charges(id)).toEqual([{ outcome: 'completed', cost: cost?.amount }]);
    expect(askedFor(stage.gateway, 'short outage')).toBe(1);
  });

  test('that is long has failed afterwards, and is charged once for what was stored', async () => {
    const id = await createAndStop('long outage');
    // Its process has given up when nothing is answered any more.
    await vi.waitFor(async () => expect(await inFlight()).toBe(0), PATIENCE);
    stage.proxy.startServer();
    const { status, error, estimated_cost: cost } = await ended(id);
    expect([status, error?.code]).toEqual(['failed', 'response_lost']);
    expect(await charges(id)).toEqual([{ outcome: 'partial', cost: cost?.amount }]);
    expect(askedFor(stage.gateway, 'long outage')).toBe(1);
    expect((await stage.chat()).status).toBe(200);
  });
});
