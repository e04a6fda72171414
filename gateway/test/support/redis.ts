/** A real Redis (or Valkey) for a test, that can be killed, held and started again at the same address. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.ts';

export interface TestRedis {
  readonly url: string;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Begins again, empty, on the same port. */
  startAgain(): Promise<void>;
  /** Stops answering without closing anything. */
  hold(): void;
  release(): void;
  stop(): Promise<void>;
}

export function findRedisServer(): string | null {
  const folders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];
  const programs = folders.flatMap((folder) => [join(folder, 'redis-server'), join(folder, 'valkey-server')]);
  return programs.find((program) => existsSync(program)) ?? null;
}

export async function startRedis(program: string): Promise<TestRedis> {
  const port = await freePort();
  let child = await spawned(program, port);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    async startAgain() {
      child = await spawned(program, port);
    },
    hold: () => void child.kill('SIGSTOP'),
    release: () => void child.kill('SIGCONT'),
    stop: kill,
  };
}

/** Resolves when it takes connections. */
function spawned(program: string, port: number): Promise<ChildProcess> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn(program, args, { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'ignore'] });
  process.once('exit', () => void child.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (line.includes('Ready to accept connections')) resolve(child);
    });
  });
}
