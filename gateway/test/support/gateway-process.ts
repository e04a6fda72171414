/** A gateway as its own process, started as an operator starts it, that can be killed at any moment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Agent } from 'node:http';
import { createInterface } from 'node:readline';
import { EMBEDDED_FLAGS } from './node-flags.ts';
import { program } from './program.ts';

const LISTENING = 'tollgate is listening';
const LINES_KEPT = 30;

export interface GatewayPlace {
  readonly folder: string;
  readonly configFile: string;
  readonly databaseUrl: string | null;
  readonly redisUrl?: string;
  /** Any free ones where none are given. */
  readonly port?: number;
  readonly opsPort?: number;
  /** Further variables, such as those of a bucket. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  /** Connections to this very process, so that none outlives it. */
  readonly agent: Agent;
  readonly alive: boolean;
  /** SIGKILL; resolves when the system has removed the process. */
  kill(): Promise<void>;
  /** Ctrl-C; resolves to the exit code after the drain. */
  stop(): Promise<number | null>;
  /** SIGTERM, as whatever supervises it does: load balancers are given time. */
  terminate(): Promise<number | null>;
}

/** Resolves when the process says that it listens and answers that it is ready. */
export async function startGatewayProcess(place: GatewayPlace): Promise<GatewayProcess> {
  const child = spawn(
    process.execPath,
    [
      ...(place.databaseUrl === null ? EMBEDDED_FLAGS : []),
      program(),
      'serve',
      '--data',
      place.folder,
      '--config',
      place.configFile,
    ],
    { env: environment(place), stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  // A test run that dies must not leave its gateways behind.
  const killWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  void exited.then(() => process.off('exit', killWithUs));
  try {
    const url = `http://127.0.0.1:${await listeningPort(child, exited)}`;
    const ready = await fetch(`${url}/ready`, { headers: { connection: 'close' } });
    if (ready.status !== 200) throw new Error(`/ready answered ${ready.status}`);
    return new RunningProcess(child, url, exited);
  } catch (error) {
    child.kill('SIGKILL');
    await exited;
    throw error;
  }
}

class RunningProcess implements GatewayProcess {
  readonly url: string;
  readonly agent = new Agent({ keepAlive: true });
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;

  constructor(child: ChildProcess, url: string, exited: Promise<number | null>) {
    this.#child = child;
    this.url = url;
    this.#exited = exited;
    void exited.then(() => this.agent.destroy());
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && !this.#child.killed;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  async stop(): Promise<number | null> {
    this.#child.kill('SIGINT');
    return await this.#exited;
  }

  async terminate(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return await this.#exited;
  }
}

function environment(place: GatewayPlace): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return {
    ...(PATH && { PATH }),
    ...(HOME && { HOME }),
    ...(TMPDIR && { TMPDIR }),
    PORT: String(place.port ?? 0),
    OPS_PORT: String(place.opsPort ?? 0),
    LOG_LEVEL: 'info',
    ...(place.databaseUrl !== null && { DATABASE_URL: place.databaseUrl }),
    ...(place.redisUrl !== undefined && { REDIS_URL: place.redisUrl }),
    ...place.env,
  };
}

/** Reads the log until it tells the port, and on, because a full pipe would stop the process. */
function listeningPort(child: ChildProcess, exited: Promise<number | null>): Promise<number> {
  const latest: string[] = [];
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      latest.push(line);
      if (latest.length > LINES_KEPT) latest.shift();
      if (line.includes(LISTENING)) resolve((JSON.parse(line) as { port: number }).port);
    });
    child.once('error', reject);
    void exited.then((code) =>
      reject(new Error(`the gateway ended with ${code} before it listened:\n${latest.join('\n')}`)),
    );
  });
}
