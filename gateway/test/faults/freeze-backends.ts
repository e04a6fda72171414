/** Stops processes of a PostgreSQL server (SIGSTOP): their connections stay open, and nothing answers on them. */
import pg from 'pg';
import { systemClock as clock, pause } from '../../src/kernel/time.ts';

export interface Frozen {
  /** Lets them continue (SIGCONT). */
  thaw(): void;
}

/** All that the gateway has open; new connections work. */
export async function freezeConnections(databaseUrl: string): Promise<Frozen> {
  return await withClient(databaseUrl, async (client) => freeze(await backendsOf(client, OPEN)));
}

/** One that is inside a commit of calls, so that it keeps the locks of the space. */
export async function freezeCommit(databaseUrl: string): Promise<Frozen> {
  return await withClient(databaseUrl, async (client) => {
    for (;;) {
      const frozen = freeze((await backendsOf(client, COMMITTING)).slice(0, 1));
      // It may have ended between the look and the signal.
      if ((await backendsOf(client, COMMITTING)).some((pid) => frozen.pids.includes(pid))) return frozen;
      frozen.thaw();
      await pause(clock, 1);
    }
  });
}

const OPEN = `select pid from pg_stat_activity
  where datname = current_database() and application_name = 'tollgate'`;
const COMMITTING = `select pid from pg_locks
  where relation = 'accounts'::regclass and mode = 'RowExclusiveLock' and granted and pid <> pg_backend_pid()`;

async function backendsOf(client: pg.Client, statement: string): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>(statement);
  return rows.map(({ pid }) => pid);
}

function freeze(pids: readonly number[]): Frozen & { pids: readonly number[] } {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return {
    pids,
    thaw() {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
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
