/** A real PostgreSQL for the tests: the one that is named, or one of our own in a temporary folder. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

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

function findBinaries(): string | null {
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
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-postgres-'));
  const port = await freePort();
  // PostgreSQL refuses to run as root, so there it runs as the user its package made.
  const asRoot = process.getuid?.() === 0;
  const run = (program: string, args: string[]): void => {
    const file = join(binaries, program);
    const [command, full] = asRoot ? ['runuser', ['-u', 'postgres', '--', file, ...args]] : [file, args];
    execFileSync(command, full, { stdio: 'ignore', cwd: tmpdir() });
  };
  if (asRoot) chownSync(folder, ...ownerOf('postgres'));
  const data = join(folder, 'data');
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']);
  // Processes are killed in tests, the machine is not.
  const settings = `-c fsync=${durable ? 'on' : 'off'} -c listen_addresses=127.0.0.1 -p ${port} -c unix_socket_directories='' -c max_connections=200`;
  run('pg_ctl', ['-D', data, '-w', '-l', join(folder, 'log'), '-o', settings, 'start']);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      run('pg_ctl', ['-D', data, '-m', 'immediate', 'stop']);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ownerOf(user: string): [number, number] {
  const id = (flag: string): number =>
    Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout.trim());
  return [id('-u'), id('-g')];
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
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
  const admin = async (statement: string): Promise<void> => {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await admin(`drop database if exists ${name} with (force)`);
  await admin(`create database ${name}${template === undefined ? '' : ` template ${template}`}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { name, url: own.href, drop: () => admin(`drop database if exists ${name} with (force)`) };
}
