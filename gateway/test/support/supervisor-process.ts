/** `tollgate serve` as its own process, with any flags, whose log can be awaited. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { systemClock } from '../../src/kernel/time.ts';
import type { GatewayPlace } from './gateway-process.ts';
import { program } from './program.ts';

export interface LogLine {
  readonly msg: string;
  readonly pid?: number;
  readonly [field: string]: unknown;
}

export interface ProcessOnPage {
  readonly process: number;
  readonly pid: number;
  readonly state: string;
}

const WAIT_MS_MAX = 30_000;

export class ServeProcess {
  readonly lines: LogLine[] = [];
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  #onLine: () => void = () => undefined;

  constructor(place: GatewayPlace, flags: readonly string[]) {
    const { PATH, HOME, TMPDIR } = process.env;
    this.#child = spawn(
      process.execPath,
      [program(), 'serve', '--data', place.folder, '--config', place.configFile, ...flags],
      {
        env: {
          ...{ PATH, HOME, ...(TMPDIR && { TMPDIR }) },
          ...{ PORT: String(place.port ?? 0), OPS_PORT: String(place.opsPort ?? 0) },
          ...(place.databaseUrl !== null && { DATABASE_URL: place.databaseUrl }),
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    this.exited = new Promise((resolve) => this.#child.once('exit', resolve));
    // Its processes end with it.
    const killWithUs = (): void => void this.#child.kill('SIGKILL');
    process.once('exit', killWithUs);
    void this.exited.then(() => process.off('exit', killWithUs));
    createInterface({ input: this.#child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      this.lines.push(line.startsWith('{') ? (JSON.parse(line) as LogLine) : { msg: line });
      this.#onLine();
    });
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Resolves to the first line with the text, from the given one on. */
  async said(text: string, from = 0): Promise<LogLine> {
    const late = Promise.withResolvers<never>();
    const cancel = systemClock.after(WAIT_MS_MAX, () =>
      late.reject(new Error(`it did not say "${text}": ${JSON.stringify(this.lines.slice(from))}`)),
    );
    try {
      for (;;) {
        const more = new Promise<void>((resolve) => {
          this.#onLine = resolve;
        });
        const found = this.lines.slice(from).find(({ msg }) => msg.includes(text));
        if (found !== undefined) return found;
        await Promise.race([more, late.promise]);
      }
    } finally {
      cancel();
    }
  }
}

/** What the operations port of a supervisor says about its processes. */
export async function processesAt(opsUrl: string): Promise<ProcessOnPage[]> {
  const reply = await fetch(`${opsUrl}/health`);
  return ((await reply.json()) as { processes: ProcessOnPage[] }).processes;
}

/** A process that has ended may still be in the table of processes, until its parent asks how. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc/self/stat') || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
