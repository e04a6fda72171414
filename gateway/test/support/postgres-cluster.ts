/** A PostgreSQL of our own in a temporary folder, that can be stopped, started, copied to a replica and promoted. */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

export interface ClusterOptions {
  /** The folder of `initdb` and `pg_ctl`. */
  readonly binaries: string;
  /** What is committed is on the disk, as in production; tests need not wait for that. */
  readonly durable?: boolean;
  /** Where its folder is made; default: with other temporary files. */
  readonly parent?: string;
  /** Such as `wal_level=replica`. */
  readonly settings?: readonly string[];
}

export class PostgresCluster {
  readonly port: number;
  readonly #options: ClusterOptions;
  readonly #folder: string;
  readonly #data: string;

  /** Without any files yet. */
  constructor(options: ClusterOptions, port: number) {
    this.port = port;
    this.#options = options;
    this.#folder = mkdtempSync(join(options.parent ?? tmpdir(), 'tollgate-test-postgres-'));
    this.#data = join(this.#folder, 'data');
    if (asRoot) chownSync(this.#folder, ...ownerOf('postgres'));
  }

  /** Of a database in which others can be created. */
  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  async create(): Promise<void> {
    await this.#run('initdb', ['-D', this.#data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']);
    await this.start();
  }

  /** Resolves when it takes connections. */
  async start(): Promise<void> {
    const { durable = false, settings = [] } = this.#options;
    // Processes are killed in tests, the machine is not.
    const all = [
      `fsync=${durable ? 'on' : 'off'}`,
      'listen_addresses=127.0.0.1',
      `port=${this.port}`,
      `unix_socket_directories=''`,
      'max_connections=200',
      ...settings,
    ];
    const args = ['-D', this.#data, '-w', '-l', join(this.#folder, 'log')];
    await this.#run('pg_ctl', [...args, '-o', all.map((one) => `-c ${one}`).join(' '), 'start']);
  }

  /** `immediate` is what a crash leaves. */
  async stop(mode: 'fast' | 'immediate' = 'immediate'): Promise<void> {
    await this.#run('pg_ctl', ['-D', this.#data, '-m', mode, 'stop']);
  }

  /** Of the process that accepts connections. */
  get pid(): number {
    return Number.parseInt(readFileSync(join(this.#data, 'postmaster.pid'), 'utf8'), 10);
  }

  async isRunning(): Promise<boolean> {
    return await this.#run('pg_ctl', ['-D', this.#data, 'status']).then(
      () => true,
      () => false,
    );
  }

  /** A streaming replica under the name `replica`, started. */
  async replicate(): Promise<PostgresCluster> {
    const replica = new PostgresCluster(this.#options, await freePort());
    const from = `host=127.0.0.1 port=${this.port} user=postgres application_name=replica`;
    await this.#run('pg_basebackup', ['-D', replica.#data, '-d', from, '-R', '-X', 'stream', '-c', 'fast']);
    await replica.start();
    return replica;
  }

  /** Resolves when a replica takes writes. */
  async promote(): Promise<void> {
    await this.#run('pg_ctl', ['-D', this.#data, '-w', 'promote']);
  }

  async remove(): Promise<void> {
    if (await this.isRunning()) await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The same before it returns, for the end of a process. */
  removeNow(): void {
    const [command, args] = this.#commandOf('pg_ctl', ['-D', this.#data, '-m', 'immediate', 'stop']);
    spawnSync(command, args, { stdio: 'ignore', cwd: tmpdir() });
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** PostgreSQL does not run as root, so there it runs as the user its package made. */
  #commandOf(program: string, args: readonly string[]): [string, string[]] {
    const file = join(this.#options.binaries, program);
    return asRoot ? ['runuser', ['-u', 'postgres', '--', file, ...args]] : [file, [...args]];
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    const [command, full] = this.#commandOf(program, args);
    // A server that is started keeps the streams it is given, so it gets none to wait for.
    const child = spawn(command, full, { stdio: 'ignore', cwd: tmpdir() });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${this.#latestLog()}`);
  }

  #latestLog(): string {
    try {
      return readFileSync(join(this.#folder, 'log'), 'utf8').split('\n').slice(-6).join('\n');
    } catch {
      return 'it has no log';
    }
  }
}

export async function createCluster(options: ClusterOptions): Promise<PostgresCluster> {
  const cluster = new PostgresCluster(options, await freePort());
  await cluster.create();
  return cluster;
}

const asRoot = process.getuid?.() === 0;

function ownerOf(user: string): [number, number] {
  const id = (flag: string): number =>
    Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout.trim());
  return [id('-u'), id('-g')];
}
