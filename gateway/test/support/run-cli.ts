/** The command line as a person or a script runs it: a process of its own, to its end. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { program } from './program.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Runs commands one after the other in one process. Their output is in one text, each after a line `$ command`. */
export async function runCliLines(
  lines: readonly string[],
  options: { env?: Env; cwd?: string },
): Promise<Ran> {
  const input = JSON.stringify(lines.map((line) => line.split(' ')));
  return await run([fileURLToPath(new URL('cli-lines.ts', import.meta.url))], { ...options, input });
}

/**
 * Runs a command to its end. `input` is what it reads on standard input; `reads: false` reads none of its
 * output; `nodeFlags` are for Node itself; `path` is that of another program.
 */
export async function runCli(
  args: readonly string[],
  options: RunOptions & { nodeFlags?: readonly string[]; path?: string } = {},
): Promise<Ran> {
  return await run([...(options.nodeFlags ?? []), options.path ?? program(), ...args], options);
}

interface RunOptions {
  readonly env?: Env;
  readonly cwd?: string;
  readonly input?: string;
  readonly reads?: boolean;
}

async function run(args: readonly string[], options: RunOptions): Promise<Ran> {
  // Nothing of the developer's own environment decides what a test sees.
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, args, {
    env: { PATH, HOME, ...options.env } as NodeJS.ProcessEnv,
    cwd: options.cwd,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(options.input);
  if (options.reads === false) child.stdout?.destroy();
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}
