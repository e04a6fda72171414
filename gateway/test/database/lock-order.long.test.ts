/**
 * One order of locks for the whole schema (src/database/LOCKS.md): all kinds of transactions run against each
 * other, and the server counts no deadlock. The long form (`npm run test:chaos`) runs 10,000 pairs.
 */

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { shellActor } from '../../src/access/actor.ts';
import { ensurePerson } from '../../src/access/people.store.ts';
import { runOperation } from '../../src/administration/operations.ts';
import { expiringBlobs } from '../../src/app/expiring-blobs.ts';
import { BlobKeeper } from '../../src/blobs/blob-keeper.ts';
import { openBlobs } from '../../src/blobs/open-blobs.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { JobLeaseLost } from '../../src/jobs/jobs.store.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { Problem } from '../../src/kernel/problem.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { verifyBooks } from '../../src/reports/verify-books.store.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { kinds, prepareMeeting, type Side } from '../chaos/transaction-kinds.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';

const PAIRS = Number(process.env.TOLLGATE_LOCK_PAIRS ?? 80);
/** To look at some of them more closely. */
const KINDS = new RegExp(process.env.TOLLGATE_LOCK_KINDS ?? '');
/** Of the same pair at once, so that they meet at every step. */
const TIMES = 2;

describe.runIf(engines.includes('postgres'))('all kinds of transactions against each other', () => {
  let place: TestPlace;
  let server: pg.Client;
  const spaces: string[] = [];
  let personId: string;

  /** What the server said of each deadlock. */
  const undone: unknown[] = [];
  const onUndone = ({ cause }: Error): void => {
    const { detail, where } = cause as pg.DatabaseError;
    undone.push({ detail, where });
  };

  const open = (): Promise<Database> =>
    openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock, onUndone });

  beforeAll(async () => {
    place = await makePlace('postgres');
    server = new pg.Client(inject('postgresUrl') as string);
    await server.connect();
    const name = new URL(place.databaseUrl as string).pathname.slice(1);
    await server.query(`alter database ${name} set deadlock_timeout = '10ms'`);
    const db = await open();
    const context = { db, clock: systemClock, actor: shellActor('test') };
    for (const space of ['space-a', 'space-b']) {
      await runOperation(context, 'spaces.create', { name: space, overage: true });
      await runOperation(context, 'keys.create', { space, name: `key-${space.at(-1)}`, kind: 'shared' });
    }
    await runOperation(context, 'members.add', {
      space: 'space-a',
      email: 'person@example.com',
      role: 'member',
    });
    const rows = await db.query<{ id: string }>(sql`select id from spaces order by name`);
    spaces.push(...rows.map(({ id }) => id));
    const person = { id: 'per_1', email: 'person@example.com', nickname: 'p', now: systemClock.now() };
    personId = (await ensurePerson(db, person)).id;
    await db.close();
  });
  afterAll(async () => {
    await server.end();
    await place.remove();
  });

  /** Counted when the connections of the database are gone: until then they keep some of it to themselves. */
  async function deadlocks(): Promise<number> {
    const name = new URL(place.databaseUrl as string).pathname.slice(1);
    const left = 'select count(*)::int as left from pg_stat_activity where datname = $1';
    await expect.poll(async () => (await server.query(left, [name])).rows[0].left).toBe(0);
    const { rows } = await server.query('select deadlocks from pg_stat_database where datname = $1', [name]);
    return Number(rows[0].deadlocks);
  }

  async function sides(): Promise<Side[]> {
    const blobs = await openBlobs({ dataFolder: place.folder, s3: null });
    const log = createLog({ level: 'error', write: () => undefined });
    return await Promise.all(
      [false, true].map(async (reversed) => {
        const db = await open();
        return {
          db,
          reversed,
          keeper: new BlobKeeper({ db, blobs, clock: systemClock, log, expiring: expiringBlobs }),
        };
      }),
    );
  }

  test(
    'of every pair each transaction comes to its end, the server ends none for a deadlock, and the books agree',
    async () => {
      const both = await sides();
      const names = Object.keys(kinds).filter((name) => KINDS.test(name));
      const all = names.flatMap((first) => names.map((second) => [first, second] as const));
      // Each day has another part of them; the long form takes all, again and again.
      const from = PAIRS < all.length ? Math.floor(Date.now() / DAY_MS) % all.length : 0;
      const failed: string[] = [];
      for (let i = 0; i < PAIRS; i++) {
        const pair = all[(from + i * 7) % all.length] as readonly [string, string];
        const meeting = await prepareMeeting((both[0] as Side).db, spaces, personId);
        const runs = Array.from({ length: TIMES }, () =>
          pair.map((name, side) => kinds[name]?.(both[side] as Side, meeting)),
        ).flat();
        for (const end of await Promise.allSettled(runs))
          if (end.status === 'rejected' && !isExpected(end.reason)) failed.push(`${pair}: ${end.reason}`);
        for (const said of undone.splice(0)) failed.push(`${pair}: ${JSON.stringify(said)}`);
      }
      const [{ db }] = both as [Side, Side];
      const { disagreements } = await verifyBooks(db);
      await Promise.all(both.map((side) => side.db.close()));
      expect(failed).toEqual([]);
      expect(disagreements).toEqual([]);
      expect(await deadlocks()).toBe(0);
      process.stderr.write(`${PAIRS} pairs of ${names.length} kinds of transactions: no deadlock\n`);
    },
    60_000 + PAIRS * 100,
  );

  test('a deadlock would be counted, and what the server undid is done again', async () => {
    const before = await deadlocks();
    const db = await open();
    await db.query(sql`create table crossed (id integer primary key, changes integer)`);
    await db.query(sql`insert into crossed values (1, 0), (2, 0)`);
    const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const crossed = (mine: 0 | 1): Promise<void> =>
      db.transaction(async (tx) => {
        await tx.query(sql`update crossed set changes = changes + 1 where id = ${mine + 1}`);
        met[mine].resolve();
        await met[1 - mine]?.promise;
        await tx.query(sql`update crossed set changes = changes + 1 where id = ${2 - mine}`);
      });
    await Promise.all([crossed(0), crossed(1)]);
    expect(await db.query(sql`select changes from crossed`)).toEqual([{ changes: 2 }, { changes: 2 }]);
    await db.close();
    expect(await deadlocks()).toBeGreaterThan(before);
  });
});

/** What one of two may be answered when the other was first. */
function isExpected(error: unknown): boolean {
  if (error instanceof JobLeaseLost) return true;
  if (error instanceof Problem) return error.code !== 'service_unavailable';
  const { message } = error as Error;
  return /cannot (end|be settled)|video_jobs_sent|violates foreign key|no input|given up while it was written/.test(
    message,
  );
}
