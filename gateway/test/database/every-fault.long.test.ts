/**
 * No failed await ends the process: each statement of a call, a sweep and a batch fails in turn, in three ways,
 * and the next call is answered. TOLLGATE_FAULT_STEP=1 takes every statement of the batch too.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DatabaseUnavailable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { testConfig, withBatches } from '../support/config.ts';
import { type Engine, engines } from '../support/engines.ts';
import { FaultyDatabase } from '../support/faulty-database.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE, WORK_MS_MAX } from '../support/patience.ts';

const BATCH_STEP = Number(process.env.TOLLGATE_FAULT_STEP ?? 20);
/** More statements than anything here takes. */
const STATEMENTS_MAX = 200;

const config = withBatches(testConfig());

const kinds = ['rejected', 'away', 'answer lost'] as const;
type Kind = (typeof kinds)[number];

function errorOf(kind: Kind): Error {
  return kind === 'rejected'
    ? Object.assign(new Error('an injected fault'), { code: 'XX000' })
    : new DatabaseUnavailable('an injected fault');
}

describe.each(engines)('a fault at every statement on %s', (engine: Engine) => {
  const faults = new FaultyDatabase();
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown): void => void unhandled.push(error);
  let gateway: TestGateway;

  beforeAll(async () => {
    process.on('unhandledRejection', onUnhandled);
    gateway = await startGateway({ engine, config, wrapDatabase: faults.wrap });
  });
  afterAll(async () => {
    await gateway.stop();
    process.off('unhandledRejection', onUnhandled);
    expect(unhandled).toEqual([]);
  });

  async function answersNext(after: string): Promise<void> {
    const reply = await gateway.post('/v1/responses', {
      model: 'sim-chat',
      input: 'Reply with exactly: next',
    });
    expect(reply.status, `after ${after}: ${await reply.clone().text()}`).toBe(200);
    await reply.text();
  }

  /** False when the work took fewer statements. */
  async function withFault(n: number, kind: Kind, work: () => Promise<void>): Promise<boolean> {
    let seen = 0;
    const fault = (): Error | null => (++seen === n ? errorOf(kind) : null);
    faults.before = kind === 'answer lost' ? () => null : fault;
    faults.after = kind === 'answer lost' ? fault : () => null;
    await work();
    faults.before = () => null;
    faults.after = () => null;
    return seen >= n;
  }

  async function everyFault(name: string, work: () => Promise<void>): Promise<number> {
    let hit = 0;
    for (const kind of kinds) {
      for (let n = 1; n <= STATEMENTS_MAX; n++) {
        if (!(await withFault(n, kind, work))) break;
        hit++;
        await answersNext(`${name}, statement ${n}, ${kind}`);
      }
    }
    return hit;
  }

  test('of calls, kept, continued and streamed: answered or refused, charged once if answered, and the next is answered', async () => {
    const answered: string[] = [];
    const call = async (body: object): Promise<string | null> => {
      const reply = await gateway.post('/v1/responses', { model: 'sim-chat', ...body });
      const text = await reply.text();
      expect([200, 404, 500, 503], text).toContain(reply.status);
      if (reply.status !== 200 || !/"estimated_cost"/.test(text)) return null;
      answered.push(reply.headers.get('x-request-id') as string);
      return /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? null;
    };
    const hit = await everyFault('a call', async () => {
      const first = await call({ input: 'Reply with exactly: first' });
      await call({ input: 'Reply with exactly: second', stream: true, previous_response_id: first });
    });
    expect(hit).toBeGreaterThan(20);
    const rows = await gateway.query<{ id: string }>(sql`select id from calls where cost is not null`);
    const charged = new Set(rows.map(({ id }) => id));
    expect(charged.size).toBe(rows.length);
    expect(answered.filter((id) => !charged.has(id))).toEqual([]);
    const finished = gateway.simulator.calls.filter((one) => one.finished).length;
    expect(rows).toHaveLength(finished);
  });

  test('of sweeps: the round fails, and the next call and the next round do not', async () => {
    const hit = await everyFault('a sweep', () => gateway.sweepAll().catch(() => undefined));
    expect(hit).toBeGreaterThan(10);
    await gateway.sweepAll();
  });

  test(
    'of a batch: it ends all the same, and the next call is answered meanwhile',
    async () => {
      const line = JSON.stringify({
        custom_id: 'a',
        method: 'POST',
        url: '/v1/chat/completions',
        body: {
          model: 'sim-chat',
          service_tier: 'default',
          messages: [{ role: 'user', content: 'Reply with exactly: line' }],
        },
      });
      const authorization = `Bearer ${gateway.key}`;
      const submitted: string[] = [];
      const get = async (id: string): Promise<{ settlement_status: string }> =>
        (await (await fetch(`${gateway.url}/v1/batches/${id}`, { headers: { authorization } })).json()) as {
          settlement_status: string;
        };
      const run = async (): Promise<void> => {
        const form = new FormData();
        form.set('purpose', 'batch');
        form.set('file', new Blob([`${line}\n`]), 'a.jsonl');
        const file = await fetch(`${gateway.url}/v1/files`, {
          method: 'POST',
          headers: { authorization },
          body: form,
        });
        if (file.status !== 200) return void (await file.text());
        const { id } = (await file.json()) as { id: string };
        const batch = await gateway.post('/v1/batches', {
          input_file_id: id,
          endpoint: '/v1/chat/completions',
          completion_window: '24h',
        });
        if (batch.status !== 200) return void (await batch.text());
        const made = ((await batch.json()) as { id: string }).id;
        submitted.push(made);
        // One whose job failed is taken up again later; here only the next call matters.
        await expect
          .poll(async () => (await get(made)).settlement_status, { timeout: 1_500 })
          .toBe('settled')
          .catch(() => undefined);
      };
      for (let n = 1; n <= STATEMENTS_MAX; n += BATCH_STEP) {
        const kind = kinds[n % kinds.length] as Kind;
        if (!(await withFault(n, kind, run))) break;
        await answersNext(`a batch, statement ${n}, ${kind}`);
      }
      expect(submitted.length).toBeGreaterThan(2);
      for (const id of submitted) {
        await expect
          .poll(async () => (await get(id)).settlement_status, PATIENCE)
          .toMatch(/settled|quarantined/);
      }
    },
    WORK_MS_MAX,
  );
});
