/**
 * The processes that use the database, and the numbers under which they write rows of their own. Leases run by the clock of the
 * database: with clocks of their own, one that is wrong would take all others for dead.
 */
import { type Queryable, timestamp } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { json, type Sql, sql, within } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export interface NewProcess {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly roles: string;
  /** Whether it writes calls to its own disk while the database does not answer. */
  readonly journal: boolean;
  readonly startedAt: Instant;
  readonly leaseMs: number;
}

/** What the calls of a process hold of units and limits, and what it has exchanged with other processes since its start. */
export interface ProcessActivity {
  readonly holds: number;
  readonly oldestHoldMs: number;
  readonly recallsSent: number;
  readonly recallsAnswered: number;
  readonly slicesFolded: number;
}

/** Returns the numbers of its writers. */
export async function insertProcess(db: Queryable, made: NewProcess, writers: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    with made as (
      insert into processes (id, host, pid, version, roles, journal, started_at, lease_until)
      values (${made.id}, ${made.host}, ${made.pid}, ${made.version}, ${made.roles}, ${made.journal},
        ${timestamp(made.startedAt)}, ${leaseEnd(made.leaseMs)})
      returning id)
    insert into writers (process_id) select made.id from made, generate_series(1, ${writers}) returning id`);
  return rows.map(({ id }) => id);
}

/** Returns how many processes are alive; null if this one was declared dead, because it did not renew its lease in time. */
export async function renewLease(
  db: Queryable,
  { id, leaseMs, activity }: { id: string; leaseMs: number; activity: ProcessActivity | null },
): Promise<number | null> {
  const [row] = await db.query<{ renewed: boolean; alive: number }>(
    within(
      CALL_ANSWER_MS,
      sql`
    with renewed as (
      update processes set lease_until = ${leaseEnd(leaseMs)}, activity = ${json(activity)}
      where id = ${id} and ended_at is null returning id)
    select exists (select from renewed) as renewed, (
      select count(*) from processes where ended_at is null and (lease_until > now() or id = ${id})) as alive`,
    ),
  );
  return row?.renewed ? Number(row.alive) : null;
}

function leaseEnd(leaseMs: number): Sql {
  return sql`now() + ${leaseMs / 1_000}::double precision * interval '1 second'`;
}

export interface ListedProcess extends Omit<NewProcess, 'journal' | 'leaseMs'> {
  readonly leaseUntil: Instant;
  readonly alive: boolean;
  /** Null before it first renewed its lease, and for versions that do not say it. */
  readonly activity: ProcessActivity | null;
}

/** Those that have not ended, the oldest first. */
export async function listProcesses(db: Queryable): Promise<ListedProcess[]> {
  return await db.query(sql`
    select id, host, pid, version, roles, started_at as "startedAt", lease_until as "leaseUntil", lease_until > now() as alive,
      activity
    from processes where ended_at is null order by started_at, id`);
}

export async function endProcess(db: Queryable, id: string): Promise<void> {
  await db.query(sql`update processes set ended_at = now() where id = ${id} and ended_at is null`);
}

export async function endOtherProcesses(db: Queryable, id: string): Promise<void> {
  await db.query(sql`update processes set ended_at = now() where id <> ${id} and ended_at is null`);
}

/** Ends the processes whose lease ran out. Those with a journal may have calls on their disk, which must be applied first. */
export async function endLostProcesses(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    update processes set ended_at = now() where ended_at is null and lease_until <= now() and not journal returning id`);
  return rows.map(({ id }) => id);
}

/** The writers of processes that have ended, oldest first. */
export async function listEndedWriters(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select w.id from writers w join processes p on p.id = w.process_id where p.ended_at is not null order by w.id`);
  return rows.map(({ id }) => id);
}

/**
 * Forgets processes that ended so long ago, and their writers. A process that was only paused may still commit what it had in
 * hand, so its writers are kept for a while.
 */
export async function removeEndedProcesses(db: Queryable, keptMs: number): Promise<void> {
  await db.query(sql`
    with gone as (
      delete from processes where ended_at < now() - ${keptMs / 1_000}::double precision * interval '1 second' returning id)
    delete from writers w using gone where w.process_id = gone.id`);
}
