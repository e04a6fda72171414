/** PostgreSQL that breaks off in the middle of things: no charge is lost, none is doubled. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { parseUnits } from '../../src/kernel/units.ts';
import { imbalances, readLedger } from '../chaos/ledger.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const hello = { model: 'sim-chat', messages: [{ role: 'user', content: 'Reply with exactly: hello' }] };
const ROUNDS = 25;
const CALLS_PER_ROUND = 8;

describe.skipIf(!engines.includes('postgres'))('connections that the database cuts under load', () => {
  let gateway: TestGateway;
  let admin: pg.Client;

  beforeAll(async () => {
    gateway = await startGateway({ engine: 'postgres' });
    const url = new URL(gateway.databaseUrl as string);
    url.pathname = '/postgres';
    admin = new pg.Client(url.href);
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await gateway.stop();
  });

  const cutAll = async (): Promise<void> => {
    const database = new URL(gateway.databaseUrl as string).pathname.slice(1);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      database,
    ]);
  };

  async function call(): Promise<{ id: string; cost: string | null; type: string | null }> {
    const reply = await gateway.chat(hello);
    const body = (await reply.json()) as { type?: string; estimated_cost?: { amount: string } };
    const id = reply.headers.get('x-request-id') as string;
    return {
      id,
      cost: body.estimated_cost?.amount ?? null,
      type: reply.status === 200 ? null : (body.type ?? ''),
    };
  }

  test('every reply in full has its one charge, and every other call is answered with service_unavailable', async () => {
    const calls = [];
    for (let round = 0; round < ROUNDS; round++) {
      const asked = Array.from({ length: CALLS_PER_ROUND }, call);
      await cutAll();
      calls.push(...(await Promise.all(asked)));
    }
    const answered = calls.filter((one) => one.type === null);
    expect(answered.length).toBeGreaterThan(calls.length / 2);
    expect(new Set(calls.map((one) => one.type ?? 'service_unavailable'))).toEqual(
      new Set(['service_unavailable']),
    );
    expect(await call()).toMatchObject({ type: null });
    const rows = await gateway.query<{ id: string; cost: string }>(sql`select id, cost from calls`);
    const charged = new Map(rows.map((row) => [row.id, parseUnits(row.cost)]));
    expect(charged.size).toBe(rows.length);
    for (const { id, cost } of answered) expect(charged.get(id), id).toBe(parseUnits(cost as string));
    expect(imbalances(await readLedger(gateway))).toEqual([]);
  });

  test('a revocation made while the listener was cut is still seen', async () => {
    const { key } = await gateway.admin('keys.create', {
      name: 'short-lived',
      kind: 'shared',
    });
    const authorization = { authorization: `Bearer ${key}` };
    expect((await gateway.chat(hello, authorization)).status).toBe(200);
    await cutAll();
    // Straight into the table, so that nobody but the database can tell the gateway.
    const own = new pg.Client(gateway.databaseUrl as string);
    await own.connect();
    await own.query("update keys set revoked_at = now() where name = 'short-lived'");
    await own.end();
    await expect.poll(async () => (await gateway.chat(hello, authorization)).status, PATIENCE).toBe(401);
  });
});
