/** A real PostgreSQL for the tests: the one that is named, or one of our own in a temporary folder. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createCluster } from './postgres-cluster.ts';

export interface TestPostgres {
  /** Of a database in which others can be created. */
  readonly url: string;
  stop(): Promise<void>;
}

/** `durable`: what is committed is on the disk, as in production; tests need not wait for that. */
export async function findPostgres({ durable = false } = {}): Promise<TestPostgres | null> {
  const named = process.env.TEST_DATABASE_URL;
  if (named) return { url: named, stop: async () => undefined };
  const binaries = findBinaries();
  return binaries === null ? null : await startPostgres(binaries, { durable });
}

export function findBinaries(): string | null {
  const versions = '/usr/lib/postgresql';
  const found = existsSync(versions) ? readdirSync(versions).sort().reverse() : [];
  const folders = [
    ...found.map((version) => join(versions, version, 'bin')),
    '/usr/local/bin',
    '/opt/homebrew/bin',
  ];
  return (
    folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl'))) ?? null
  );
}

async function startPostgres(binaries: string, { durable }: { durable: boolean }): Promise<TestPostgres> {
  // Of some hundred databases that live for seconds, none needs cleaning, and the machine does not lose its power.
  const settings = durable ? [] : ['autovacuum=off', 'full_page_writes=off'];
  const cluster = await createCluster({ binaries, durable, settings });
  return { url: cluster.url, stop: async () => cluster.removeNow() };
}

let made = 0;

export interface CreatedDatabase {
  readonly name: string;
  readonly url: string;
  drop(): Promise<void>;
}

/** A new database on the server, empty or a copy of another. */
export async function createDatabase(url: string, template?: string): Promise<CreatedDatabase> {
  const name = `t_${process.pid}_${++made}`;
  const admin = async (...statements: readonly string[]): Promise<void> => {
    const client = new pg.Client(url);
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  // To copy files takes half the time of writing every page to the log.
  const copied = template === undefined ? '' : ` template ${template} strategy file_copy`;
  await admin(`drop database if exists ${name} with (force)`, `create database ${name}${copied}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { name, url: own.href, drop: () => admin(`drop database if exists ${name} with (force)`) };
}
