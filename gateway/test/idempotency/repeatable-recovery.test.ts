/** Calls with an Idempotency-Key whose process died, stalled or lost the database at a bad moment. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DatabaseUnavailable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { callRow } from '../../src/metering/call-record.ts';
import { CALL_LEASE_MS } from '../../src/stored-answers/stored-answer.ts';
import { callOf } from '../chaos/books.ts';
import { engines } from '../support/engines.ts';
import { FaultyDatabase } from '../support/faulty-database.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { askedFor, chargedCalls, chatOf, paths, repeatsConfig } from '../support/repeats-stage.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

describe.each(engines)('recovery of calls with an Idempotency-Key on %s', (engine) => {
  const clock = shiftedClock();
  const faulty = new FaultyDatabase();
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: repeatsConfig, clock, wrapDatabase: faulty.wrap });
  });
  afterAll(() => gateway.stop());

  function ask(word: string, more: object = {}): Promise<Response> {
    return gateway.post(paths.chat, chatOf(word, more), { 'idempotency-key': word });
  }
  async function charges(id: string | null): Promise<number> {
    return (await chargedCalls(gateway)).filter((charged) => charged === id).length;
  }
  async function settled(word: string): Promise<void> {
    await vi.waitFor(async () => {
      const [row] = await gateway.query<{ charged: boolean }>(
        sql`select charged from repeatable_calls where key = ${word}`,
      );
      expect(row?.charged).toBe(true);
    }, PATIENCE);
  }
  /** As if the process had died after it stored the answer and before it charged it. */
  async function stored(word: string): Promise<string> {
    const first = await ask(word);
    await first.text();
    await settled(word);
    const [space] = await gateway.query<{ id: string }>(sql`select id from spaces`);
    const [key] = await gateway.query<{ id: string }>(sql`select id from keys`);
    const record = callOf(space?.id ?? '', '0.5', { keyId: key?.id ?? '' });
    await gateway.query(sql`
      with old as (delete from repeatable_call_parts p using repeatable_calls r
        where p.call_id = r.call_id and r.key = ${word} returning p.space_id, p.body)
      , changed as (update repeatable_calls set call_id = ${record.id}, charge = ${callRow(record)}, charged = false,
        lease_until = now() - interval '1 day' where key = ${word})
      select 1`);
    await gateway.query(sql`
      insert into repeatable_call_parts (space_id, call_id, first_event, events, body)
      values (${space?.id ?? ''}, ${record.id}, 1, 1, '{"kept":true}')`);
    return record.id;
  }

  test('a stored answer that was not charged is charged by its repeat, once', async () => {
    const id = await stored('by a repeat');
    expect(await charges(id)).toBe(0);
    const replies = await Promise.all([1, 2, 3].map(() => ask('by a repeat')));
    for (const reply of replies) {
      expect([reply.status, reply.headers.get('x-request-id')]).toEqual([200, id]);
      expect(await reply.text()).toBe('{"kept":true}');
    }
    expect(await charges(id)).toBe(1);
    expect(askedFor(gateway, 'by a repeat')).toBe(1);
  });

  test('a stored answer that nobody asks for again is charged by the sweep, once', async () => {
    const id = await stored('by the sweep');
    await gateway.sweepAll();
    await gateway.sweepAll();
    expect(await charges(id)).toBe(1);
    expect(await (await ask('by the sweep')).text()).toBe('{"kept":true}');
  });

  test('the end of an answer whose commit was not confirmed is stored again and charged once', async () => {
    let lost = 0;
    faulty.after = ({ text }) =>
      text.includes('with decided') && lost++ === 0 ? new DatabaseUnavailable('lost') : null;
    const first = await ask('not confirmed');
    faulty.after = () => null;
    expect([first.status, lost]).toEqual([200, 2]);
    expect(await (await ask('not confirmed')).text()).toBe(await first.text());
    expect(await charges(first.headers.get('x-request-id'))).toBe(1);
  });

  test.each([{ stream: true }, { stream: false }])(
    'a call whose key was taken over meanwhile charges nothing (%j)',
    async (more) => {
      const word = `taken over ${more.stream}`;
      // The provider answers after the key is taken.
      const slow = `[[fault slow-first-byte]] [[delay 1000]] ${word}`;
      const asking = ask(slow, more);
      await gateway.simulator.waitFor(({ text }) => text.includes(word));
      await gateway.query(sql`delete from repeatable_calls where key = ${slow}`);
      const reply = await asking;
      const text = await reply.text();
      expect(text).toContain('idempotency_in_flight');
      expect(text).not.toContain('[DONE]');
      expect(await charges(reply.headers.get('x-request-id'))).toBe(0);
    },
  );

  test('a claim of a dead process is free when its lease has ended, and not before', async () => {
    const word = 'dead process';
    await (await ask(word)).text();
    await settled(word);
    await gateway.query(sql`
      update repeatable_calls set state = 'running', charged = false, lease_until = now() + interval '1 hour'
      where key = ${word}`);
    const waiting = ask(word);
    clock.shift(3_600_000 + CALL_LEASE_MS);
    const reply = await waiting;
    expect([reply.status, reply.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(askedFor(gateway, word)).toBe(2);
  });

  test('without a database a call with a key is rejected before the provider is asked', async () => {
    faulty.before = ({ text }) =>
      text.includes('repeatable_calls') ? new DatabaseUnavailable('away') : null;
    const reply = await ask('no database');
    faulty.before = () => null;
    expect([reply.status, askedFor(gateway, 'no database')]).toEqual([503, 0]);
    expect((await ask('no database')).status).toBe(200);
  });

  test('answers beyond the quota of a space are removed, oldest first, and are not charged again', async () => {
    const old = await ask('oldest');
    await old.text();
    await settled('oldest');
    await gateway.query(sql`
      update repeatable_calls set bytes = 1000000000, created_at = now() - interval '20 hours' where key = 'oldest'`);
    const young = await ask('youngest');
    const text = await young.text();
    await gateway.sweepAll();
    const again = await ask('oldest');
    expect(again.status).toBe(409);
    expect(await again.text()).toContain(old.headers.get('x-request-id'));
    expect(askedFor(gateway, 'oldest')).toBe(1);
    expect(await (await ask('youngest')).text()).toBe(text);
  });
});
