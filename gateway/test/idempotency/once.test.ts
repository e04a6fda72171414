/** Idempotency-Keys: who has the claim, for how long, and which outcome is repeated. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import type { OnceScope } from '../../src/idempotency/once.store.ts';
import { CLAIM_LEASE_MS, type Claim, type Decided, Once, REPLAYED_MS } from '../../src/idempotency/once.ts';
import { Problem } from '../../src/kernel/problem.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { claimAnswer, findParts, insertParts } from '../../src/stored-answers/answers.store.ts';
import type { AnswerPart } from '../../src/stored-answers/stored-answer.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';

/** A clock that only moves when a test moves it, and the timers that were set on it. */
class StillClock implements Clock {
  at = Date.parse('2026-11-15T00:00:00Z');
  readonly timers = new Set<() => void>();
  now(): number {
    return this.at;
  }
  elapsedMs(): number {
    return this.at;
  }
  after(): () => void {
    return () => undefined;
  }
  every(_: number, work: () => void): () => void {
    this.timers.add(work);
    return () => void this.timers.delete(work);
  }
}

describe.each(engines)('idempotency keys on %s', (engine) => {
  let place: TestPlace;
  let db: Database;
  let clock: StillClock;
  let once: Once;
  let keys = 0;

  beforeAll(async () => {
    place = await makePlace(engine);
    db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
    await migrate(db, systemClock);
    for (const id of ['spc_a', 'spc_b']) {
      await db.query(sql`
        insert into spaces (id, name, overage_allowed, created_at) values (${id}, ${id}, true, now())`);
    }
    clock = new StillClock();
    once = new Once({ db, clock });
  });
  afterAll(async () => {
    await db.close();
    await place.remove();
  });

  const scope = (more: Partial<OnceScope> = {}): OnceScope => ({
    spaceId: 'spc_a',
    owner: 'mem_a',
    operation: 'files.create',
    key: `key ${++keys}`,
    ...more,
  });
  const claim = async (at: OnceScope): Promise<Claim> => {
    const begun = await once.begin(at);
    if (begun.decided) throw new Error('it was decided before');
    return begun;
  };
  const decided = async (at: OnceScope): Promise<Decided> => {
    const begun = await once.begin(at);
    if (!begun.decided) throw new Error('it was not decided');
    return begun;
  };
  const complete = (mine: Claim, digest: string, result: string): Promise<void> =>
    db.transaction((tx) => mine.complete(tx, { digest, outcome: { result } }));
  const code = (wanted: string) => expect.objectContaining({ code: wanted });

  test('a decided key repeats its result for the same request, and rejects a different one', async () => {
    const at = scope();
    const mine = await claim(at);
    await complete(mine, 'digest', 'file_1');
    mine.close();
    expect((await decided(at)).replay('digest')).toBe('file_1');
    const again = await decided(at);
    expect(() => again.replay('other')).toThrow(code('idempotency_conflict'));
  });

  test('a claimed key is in flight, and the error says when to retry', async () => {
    const at = scope();
    const mine = await claim(at);
    await expect(once.begin(at)).rejects.toMatchObject({
      code: 'idempotency_in_flight',
      retryAfterMs: 1_000,
    });
    await mine.release();
    await (await claim(at)).release();
  });

  test('a key does not affect another space, owner, operation or key', async () => {
    const at = scope();
    const mine = await claim(at);
    for (const other of [
      { spaceId: 'spc_b' },
      { owner: 'mem_b' },
      { operation: 'batches.create' as const },
      { key: `${at.key} ` },
      { key: at.key.toUpperCase() },
    ]) {
      await (await claim({ ...at, ...other })).release();
    }
    await mine.release();
  });

  test('an outcome is repeated for 24 hours, and then the key can be used again', async () => {
    const at = scope();
    const mine = await claim(at);
    await complete(mine, 'd', 'r');
    mine.close();
    clock.at += REPLAYED_MS - 1;
    expect((await decided(at)).replay('d')).toBe('r');
    clock.at += 1;
    const next = await claim(at);
    await complete(next, 'other', 'r2');
    next.close();
    expect((await decided(at)).replay('other')).toBe('r2');
  });

  test('the key of a dead process becomes free when its lease expires, and not before', async () => {
    const at = scope();
    await claim(at);
    clock.at += CLAIM_LEASE_MS - 1;
    await expect(once.begin(at)).rejects.toThrow(code('idempotency_in_flight'));
    clock.at += 1;
    await (await claim(at)).release();
  });

  test('a live process keeps its claim as long as it needs', async () => {
    const at = scope();
    const before = new Set(clock.timers);
    const mine = await claim(at);
    const [renew] = [...clock.timers].filter((timer) => !before.has(timer));
    for (let i = 0; i < 5; i++) {
      clock.at += CLAIM_LEASE_MS - 1_000;
      renew?.();
      // The embedded engine runs statements in order; on PostgreSQL the renewal has to be awaited.
      await expect.poll(() => expires(at)).toBe(clock.at + CLAIM_LEASE_MS);
      await expect(once.begin(at)).rejects.toThrow(code('idempotency_in_flight'));
    }
    await mine.release();
    expect(clock.timers.has(renew as () => void)).toBe(false);
  });

  test('a process that lost its lease writes no outcome, and its effect is rolled back', async () => {
    const at = scope();
    const late = await claim(at);
    clock.at += CLAIM_LEASE_MS;
    const next = await claim(at);
    await expect(
      db.transaction(async (tx) => {
        await tx.query(sql`insert into pending_blobs (name, lease_until) values ('effect', now())`);
        await late.complete(tx, { digest: 'd', outcome: { result: 'late' } });
      }),
    ).rejects.toThrow(code('idempotency_in_flight'));
    expect(await db.query(sql`select 1 from pending_blobs where name = 'effect'`)).toEqual([]);
    await late.release();
    await complete(next, 'd', 'next');
    next.close();
    await late.fail('d', new Problem('invalid_line'));
    expect((await decided(at)).replay('d')).toBe('next');
  });

  test('an effect that is rolled back leaves the key undecided', async () => {
    const at = scope();
    const mine = await claim(at);
    await expect(
      db.transaction(async (tx) => {
        await mine.complete(tx, { digest: 'd', outcome: { result: 'r' } });
        throw new Error('the effect failed');
      }),
    ).rejects.toThrow('the effect failed');
    await expect(once.begin(at)).rejects.toThrow(code('idempotency_in_flight'));
    await mine.release();
    await (await claim(at)).release();
  });

  test('an error that the same request would get again is repeated in full', async () => {
    const at = scope();
    const rows = [{ row: 2, reason: 'invalid_json', field: null }];
    await (await claim(at)).fail(
      'd',
      new Problem('invalid_line', { detail: 'Row 2 …', param: 'file', rows }),
    );
    const again = await decided(at);
    expect(() => again.replay('d')).toThrow(
      expect.objectContaining({ code: 'invalid_line', detail: 'Row 2 …', param: 'file', rows }),
    );
    expect(() => again.replay('other')).toThrow(code('idempotency_conflict'));
  });

  test.each([
    'internal_error',
    'service_unavailable',
    'rate_limit_exceeded',
    'insufficient_units',
    'request_timeout',
  ] as const)('after %s the key is free again', async (problem) => {
    const at = scope();
    await (await claim(at)).fail('d', new Problem(problem));
    await (await claim(at)).release();
  });

  test('after an error before the whole content was read the key is free again', async () => {
    const at = scope();
    await (await claim(at)).fail(null, new Problem('invalid_parameter'));
    await (await claim(at)).fail('d', new Error('a bug'));
    await (await claim(at)).release();
  });

  test('of many concurrent requests one gets the claim, and the others get an error', async () => {
    for (let race = 0; race < 10; race++) {
      const at = scope();
      const begun = await Promise.allSettled(Array.from({ length: 16 }, () => once.begin(at)));
      const won = begun.filter(({ status }) => status === 'fulfilled');
      expect(won).toHaveLength(1);
      for (const lost of begun.filter(({ status }) => status === 'rejected'))
        expect((lost as PromiseRejectedResult).reason).toMatchObject({ code: 'idempotency_in_flight' });
      const mine = (won[0] as PromiseFulfilledResult<Claim>).value;
      await Promise.all([complete(mine, 'd', `r${race}`), once.begin(at).catch(() => null)]);
      mine.close();
      expect((await decided(at)).replay('d')).toBe(`r${race}`);
    }
  });

  test('expired keys are deleted, and others stay', async () => {
    const [old, young] = [scope(), scope()];
    await complete(await claim(old), 'd', 'old');
    clock.at += REPLAYED_MS / 2;
    await complete(await claim(young), 'd', 'young');
    clock.at += REPLAYED_MS / 2;
    await once.runOnce();
    expect([await expires(old), (await decided(young)).replay('d')]).toEqual([null, 'young']);
  });

  async function expires(at: OnceScope): Promise<number | null> {
    const [row] = await db.query<{ at: number }>(sql`
      select expires_at as at from idempotency_keys
      where space_id = ${at.spaceId} and owner = ${at.owner} and key = ${at.key} and operation = ${at.operation}`);
    return row?.at ?? null;
  }

  test('events that arrive late do not shorten the end of an answer that was stored meanwhile', async () => {
    const named = { spaceId: 'spc_a', callId: 'req_late' };
    const now = systemClock.now();
    const scope = { spaceId: 'spc_a', owner: 'key_a', operation: 'chat', key: 'late' } as const;
    await claimAnswer(
      db,
      { scope, digest: 'd', callId: named.callId, streamed: true },
      { now, leaseUntil: now + 60_000, expiresAt: now + 60_000 },
    );
    const part = (events: number, body: string): AnswerPart => ({ ...named, firstEvent: 3, events, body });
    await insertParts(db, [part(1, 'three')]);
    await insertParts(db, [part(4, 'three to six')]);
    // Written before the last one, and seen by the database after it.
    await insertParts(db, [part(2, 'three, four')]);
    expect(await findParts(db, named, { after: 0, stored: true })).toEqual([
      { firstEvent: 3, events: 4, body: 'three to six' },
    ]);
  });
});
