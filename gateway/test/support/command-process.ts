/**
 * One process that runs many commands, one after the other, for tests of what commands do and print. To start a process
 * for each takes ten times as long; where the process itself is tested (its start, input, signals, end), use `runCli`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { program, SOURCE_PROGRAM } from './program.ts';
import type { Ran } from './run-cli.ts';

export type { Ran } from './run-cli.ts';

export interface CommandRequest {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const LOOP = fileURLToPath(new URL('command-loop.ts', import.meta.url));

export class CommandProcess {
  #child: ChildProcess | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** The same as `runCli` gives. */
  run(args: readonly string[], options: { cwd?: string; env?: CommandRequest['env'] } = {}): Promise<Ran> {
    const { cwd = tmpdir(), env } = options;
    const { PATH, HOME } = process.env;
    const ran = this.#last.then(() => this.#ask({ args, cwd, env: { PATH, HOME, ...env } }));
    this.#last = ran.catch(() => undefined);
    return ran;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null) return;
    const gone = once(child, 'exit');
    child.disconnect();
    await gone;
  }

  async #ask(request: CommandRequest): Promise<Ran> {
    this.#child ??= fork(LOOP, [commands()], { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    const child = this.#child;
    const ended = new AbortController();
    try {
      child.send(request);
      const [ran] = (await Promise.race([
        once(child, 'message', { signal: ended.signal }),
        once(child, 'exit', { signal: ended.signal }).then(() => {
          throw new Error(`"tollgate ${request.args.join(' ')}" ended the process of all commands`);
        }),
      ])) as [Ran];
      return ran;
    } finally {
      ended.abort();
    }
  }
}

/** The module of the commands, built or as source. */
function commands(): string {
  const main = program() === SOURCE_PROGRAM ? '../src/cli/main.ts' : '../dist/src/cli/main.js';
  return new URL(main, `file://${program()}`).href;
}
