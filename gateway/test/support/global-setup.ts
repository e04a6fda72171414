/**
 * Runs once before all tests: builds the program and what it serves to browsers, finds or starts a PostgreSQL, and prepares a
 * database there and an embedded data folder that tests copy instead of making their own (making one takes seconds).
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildConsole } from '../../scripts/build-console.ts';
import { readFunctions } from '../../src/database/apply-functions.ts';
import { migrate, readMigrations } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sha256 } from '../../src/kernel/digest.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { buildProgram } from './build-program.ts';
import { createDatabase, findPostgres, type TestPostgres } from './postgres.ts';
import { findRedisServer } from './redis.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string | null;
    postgresTemplate: string | null;
    /** Data folders: one that is migrated, and one of a database without a schema. */
    embeddedTemplate: string;
    bareTemplate: string;
    /** The program, where there is one. */
    redisServer: string | null;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Two tests that build at the same time would remove each other's files.
  buildConsole();
  process.env.TOLLGATE_TEST_PROGRAM = await buildProgram();
  const postgres = await requirePostgres();
  const template = postgres === null ? null : await createDatabase(postgres.url);
  if (template !== null) await migrated({ url: template.url, folder: tmpdir() });
  project.provide('postgresUrl', postgres?.url ?? null);
  project.provide('postgresTemplate', template?.name ?? null);
  const embedded = await embeddedTemplates();
  project.provide('embeddedTemplate', join(embedded, 'migrated'));
  project.provide('bareTemplate', join(embedded, 'bare'));
  project.provide('redisServer', requireRedis());
  return async () => {
    await template?.drop();
    await postgres?.stop();
  };
}

async function requirePostgres(): Promise<TestPostgres | null> {
  const postgres = await findPostgres();
  if (postgres === null) {
    if (process.env.TOLLGATE_TEST_POSTGRES === 'required')
      throw new Error('PostgreSQL is required, but was not found');
    process.stderr.write('No PostgreSQL was found: the tests run on the embedded engine only.\n');
  }
  return postgres;
}

function requireRedis(): string | null {
  const server = findRedisServer();
  if (server === null) {
    if (process.env.TOLLGATE_TEST_REDIS === 'required')
      throw new Error('redis-server is required, but was not found');
    process.stderr.write('No redis-server was found: what needs one is not tested.\n');
  }
  return server;
}

/** Kept between runs, by what it is made of. */
async function embeddedTemplates(): Promise<string> {
  const product = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const engine = (JSON.parse(product) as { dependencies: Record<string, string> }).dependencies[
    '@electric-sql/pglite'
  ];
  const schema = [...readMigrations(), ...readFunctions()];
  // The names count too: the database stores the name of every migration.
  const parts = schema.map(({ name, script }) => `${name}\n${script}`);
  const digest = sha256([...parts, engine, ...UNUSED_DATABASES].join('\n')).slice(0, 16);
  const folder = join(tmpdir(), `tollgate-test-templates-${digest}`);
  if (existsSync(folder)) return folder;
  const making = mkdtempSync(join(tmpdir(), 'tollgate-test-making-'));
  const [bare, whole] = [join(making, 'bare'), join(making, 'migrated')];
  await dropUnused(bare);
  cpSync(bare, whole, { recursive: true });
  await migrated({ url: null, folder: whole });
  rmSync(folder, { recursive: true, force: true });
  renameSync(making, folder);
  return folder;
}

/** Of a new folder: they are there to be copied, which nobody does, and have half of its files. */
const UNUSED_DATABASES = ['template0', 'template1'];

async function dropUnused(folder: string): Promise<void> {
  const db = await openDatabase({ url: null, folder, clock: systemClock });
  for (const name of UNUSED_DATABASES) {
    await db.query({ text: `alter database ${name} is_template false`, values: [] });
    await db.query({ text: `drop database ${name}`, values: [] });
  }
  await db.close();
}

async function migrated(place: { url: string | null; folder: string }): Promise<void> {
  const db = await openDatabase({ ...place, clock: systemClock });
  await migrate(db, systemClock);
  await db.close();
}
