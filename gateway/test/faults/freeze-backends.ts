/** Stops processes of a PostgreSQL server (SIGSTOP): their connections stay open, and nothing answers on them. */
import pg from 'pg';
import { systemClock as clock, pause } from '../../src/kernel/time.ts';

export interface Frozen {
  /** Lets them continue (SIGCONT), once. */
  thaw(): void;
}

/** All that the gateway has open; new connections work. */
export async function freezeConnections(databaseUrl: string): Promise<Frozen> {
  return await withClient(databaseUrl, async (client) => freeze(await backendsOf(client, OPEN)));
}

/** All of them, and the process that accepts new ones: connections are made, and nothing answers on them. */
export async function freezeServer(databaseUrl: string, pid: number): Promise<Frozen> {
  return await withClient(databaseUrl, async (client) => freeze([pid, ...(await backendsOf(client, OPEN))]));
}

/**
 * One that is inside a commit of calls and has locked the rows of its writer. It is caught while it waits for the totals
 * of the day, which a commit changes last: stopped at any other moment it might hold a lock that the whole server needs.
 */
export function freezeCommit(databaseUrl: string): Promise<Frozen> {
  return freezeWaiting(databaseUrl, 'day_parts');
}

/** One that gives a process parts of purses, and has locked these. `begin` is called when the next one will be caught. */
export function freezePurses(databaseUrl: string, begin: () => void): Promise<Frozen> {
  return freezeWaiting(databaseUrl, 'slices', begin);
}

/** The first that waits for a table that cannot be written. */
async function freezeWaiting(
  databaseUrl: string,
  table: 'day_parts' | 'slices',
  begin?: () => void,
): Promise<Frozen> {
  return await withClient(databaseUrl, async (client) => {
    await client.query(`begin; lock table ${table} in share mode`);
    begin?.();
    for (;;) {
      const waiting = await backendsOf(client, `${WAITING} and relation = '${table}'::regclass`);
      if (waiting.length > 0) {
        const frozen = freeze(waiting.slice(0, 1));
        await client.query('rollback');
        return frozen;
      }
      await pause(clock, 1);
    }
  });
}

const OPEN = `select pid from pg_stat_activity
  where datname = current_database() and application_name like 'tollgate %'`;
const WAITING = 'select pid from pg_locks where not granted';

async function backendsOf(client: pg.Client, statement: string): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>(statement);
  return rows.map(({ pid }) => pid);
}

function freeze(pids: readonly number[]): Frozen {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  let frozen = pids;
  return {
    thaw() {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
      frozen = [];
    },
  };
}

async function withClient<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'test' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
