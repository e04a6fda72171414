/** Commands on a terminal of a given width, as `script` of util-linux makes one. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { vi } from 'vitest';
import { PATIENCE } from './patience.ts';

export interface TerminalOptions {
  readonly columns: number;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Other systems than util-linux have another "script". */
export const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

/** What the command printed, with its escape sequences. */
export async function spawnOn(options: TerminalOptions, command: readonly string[]): Promise<string> {
  const terminal = new Terminal(options, command);
  await terminal.ended;
  return terminal.written;
}

/** A person in front of a terminal. */
export class Terminal {
  /** Everything so far, with its escape sequences. */
  written = '';
  /** The exit code. */
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcessWithoutNullStreams;

  constructor({ columns, env, cwd }: TerminalOptions, command: readonly string[]) {
    const { PATH, HOME } = process.env;
    const line = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    this.#child = spawn('script', ['-qec', `stty cols ${columns}; ${line}`, '/dev/null'], {
      env: { PATH, HOME, TERM: 'xterm-256color', ...env } as NodeJS.ProcessEnv,
      cwd,
      stdio: 'pipe',
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.on('data', (chunk: Buffer) => {
        this.written += chunk;
      });
    this.ended = new Promise((resolve) => this.#child.once('close', resolve));
    // A test run that dies must not leave its commands behind.
    const killWithUs = (): void => void this.#child.kill('SIGKILL');
    process.once('exit', killWithUs);
    this.#child.once('close', () => process.off('exit', killWithUs));
  }

  /** Everything so far, as it reads. */
  get text(): string {
    return stripVTControlCharacters(this.written).replaceAll('\r\n', '\n');
  }

  /** Waits until a text is there. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    return await vi.waitFor(() => {
      const found = pattern.exec(this.text);
      if (found === null) throw new Error(`${pattern} is not in:\n${this.text}`);
      return found;
    }, PATIENCE);
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Ctrl-C, and the exit code. */
  async interrupt(): Promise<number | null> {
    this.type('\u0003');
    return await this.ended;
  }
}
