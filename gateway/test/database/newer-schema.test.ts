/** A program beside a newer one, which has expanded the schema as migrations of that kind may. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { testConfig, withBatches } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

describe.each(engines)('a program on %s with the schema of a newer one', (engine) => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: withBatches(testConfig()) });
    const tables = await gateway.query<{ name: string }>(sql`
      select tablename as name from pg_tables where schemaname = current_schema() order by 1`);
    expect(tables.length).toBeGreaterThan(40);
    for (const { name } of tables) {
      // A newer program with a column in the journal also brings a new version of the functions that write it.
      const columns = name === 'journal' ? [] : ['next_text text', "next_kind text not null default 'next'"];
      for (const column of columns) await execute(`alter table ${name} add column ${column}`);
    }
    await execute('create table next_things (id text primary key, call_id text)');
    await execute('create index calls_by_next on calls (next_text)');
    await execute(
      `insert into schema_migrations (version, name, applied_at) values (9000, '9000_next', now())`,
    );
  });
  afterAll(() => gateway.stop());

  const execute = async (text: string): Promise<void> => void (await gateway.query({ text, values: [] }));

  test('answers and charges calls, streams and batches, keeps files and administers, and its books agree', async () => {
    const body = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };
    expect((await gateway.chat(body)).status).toBe(200);
    expect(await (await gateway.chat({ ...body, stream: true })).text()).toContain('[DONE]');
    const kept = { model: 'sim-chat', input: 'Hello', store: true };
    expect((await gateway.post('/v1/responses', kept)).status).toBe(200);

    const stage = new BatchStage(gateway);
    const { id } = await stage.submitted([chatLine('a', 'Hello'), chatLine('b', 'Hello')]);
    const { output_file_id } = await stage.settled(id);
    expect((await stage.lines(output_file_id ?? null)).size).toBe(2);

    await gateway.admin('keys.create', { name: 'second', kind: 'shared' });
    await gateway.admin('grants.add', { amount: '5', kind: 'promo' });
    await gateway.sweepAll();
    const [counted] = await gateway.query<{ calls: number }>(sql`
      select count(*)::integer as calls from calls where cost > 0 and next_kind = 'next'`);
    expect(counted?.calls).toBe(3);
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
  });
});
