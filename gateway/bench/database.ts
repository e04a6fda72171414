/** A PostgreSQL for the run alone, durable as in production, and what it costs beside the gateway. */
import pg from 'pg';
import { findPostgres } from '../test/support/postgres.ts';
import { familyCpuUs, parentOf } from './process-figures.ts';
import type { Stage } from './stage.ts';

export interface BenchDatabase {
  readonly url: string;
  readonly version: string;
  cpuUs(): number;
}

/** Null where PostgreSQL is not installed. */
export async function startDatabase(stage: Stage): Promise<BenchDatabase | null> {
  // A database that is named may be elsewhere, or not durable; its figures could not be compared.
  delete process.env.TEST_DATABASE_URL;
  // Its files then go with the folder of the run.
  process.env.TMPDIR = stage.folder;
  const server = await findPostgres({ durable: true });
  if (server === null) return null;
  stage.undoLater(() => void server.stop());
  const client = new pg.Client(server.url);
  await client.connect();
  const { rows } = await client.query<{ pid: number; fsync: string; commit: string; version: string }>(
    `select pg_backend_pid() as pid, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as commit, current_setting('server_version') as version`,
  );
  const [found] = rows;
  const master = parentOf(found?.pid ?? 0);
  await client.end();
  if (found?.fsync !== 'on' || found.commit !== 'on') throw new Error('the database would not be durable');
  return { url: server.url, version: found.version, cpuUs: () => familyCpuUs(master) };
}

/** Each commit then takes 20 ms and keeps the disk and the cores free, as a disk far away does. */
export async function slowCommits({ url }: Pick<BenchDatabase, 'url'>): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('alter system set commit_delay = 20000');
  await client.query('alter system set commit_siblings = 0');
  await client.query('select pg_reload_conf()');
  await client.end();
}
