/**
 * Everything the benchmark starts: processes, temporary folders and what else must be undone. All of
 * it goes at the end, also after an error, a signal, or an exit nobody planned.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const STOP_MS_MAX = 15_000;
const SAID_CHARACTERS_MAX = 4_000;

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

interface Started {
  readonly name: string;
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  said: string;
}

export class Stage {
  readonly folder: string;
  readonly #started: Started[] = [];
  readonly #undo: Array<() => void> = [];
  #stopped: Promise<void> | null = null;
  #failed: ((error: Error) => void) | null = null;
  /** Rejects when a process ends that should be running. */
  readonly broken: Promise<never>;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
    // A database server runs as another user and must reach its own folder in here.
    chmodSync(this.folder, 0o711);
    this.broken = new Promise((_, reject) => {
      this.#failed = reject;
    });
    this.broken.catch(() => undefined);
    process.on('exit', () => this.#clear());
  }

  makeFolder(name: string): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** One of the benchmark's own processes, by its file in this folder. */
  fork(file: string, args: readonly string[] = []): ChildProcess {
    const path = fileURLToPath(new URL(file, import.meta.url));
    return this.#watch(file, fork(path, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] }));
  }

  /** The same, for a process that ends by itself before the run does. */
  forkBriefly(file: string): ChildProcess {
    const path = fileURLToPath(new URL(file, import.meta.url));
    const child = fork(path, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.undoLater(() => void child.kill('SIGKILL'));
    return child;
  }

  spawn(name: string, { file, args, env, cwd }: Command): ChildProcess {
    return this.#watch(name, spawn(file, args, { env, cwd, stdio: ['ignore', 'ignore', 'pipe'] }));
  }

  /** Runs after the processes have ended; must not wait for anything. */
  undoLater(undo: () => void): void {
    this.#undo.push(undo);
  }

  /** Stops what was started last first. May be called twice. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    for (const { child, ended } of this.#started.toReversed()) {
      child.kill('SIGINT');
      const killing = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
      await ended;
      clearTimeout(killing);
    }
    this.#clear();
  }

  #clear(): void {
    for (const { child } of this.#started.splice(0)) child.kill('SIGKILL');
    for (const undo of this.#undo.splice(0).reverse()) undo();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #watch(name: string, child: ChildProcess): ChildProcess {
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    const started: Started = { name, child, ended, said: '' };
    this.#started.push(started);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      started.said = (started.said + text).slice(-SAID_CHARACTERS_MAX);
    });
    const fail = (how: string): void => {
      if (this.#stopped === null) this.#failed?.(new Error(`${name} ${how}. It said:\n${started.said}`));
    };
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => fail(`ended with ${signal ?? code}`));
    return child;
  }
}
