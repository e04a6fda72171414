/** The product as a process of its own: the CLI run to its end, and servers to signal and kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/tollgate.js', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Env = Readonly<Record<string, string | undefined>>;

function start(args: readonly string[], options: { env?: Env; cwd?: string }): ChildProcess {
  // Nothing of the developer's own environment decides what a test sees.
  const { PATH, HOME } = process.env;
  return spawn(process.execPath, [BIN, ...args], {
    env: { PATH, HOME, ...options.env } as NodeJS.ProcessEnv,
    cwd: options.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a command to its end. */
export async function runCli(
  args: readonly string[],
  options: { env?: Env; cwd?: string } = {},
): Promise<Ran> {
  const child = start(args, options);
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

export interface ServerProcess {
  readonly pid: number;
  readonly url: string;
  /** Everything it printed so far. */
  output(): string;
  /** Sends a signal and waits for the end; answers the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts \`tollgate serve\` and waits until it says that it listens. */
export async function startServerProcess(
  args: readonly string[],
  options: { env?: Env; cwd?: string } = {},
): Promise<ServerProcess> {
  const child = start(['serve', ...args], {
    ...options,
    env: { PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'info', ...options.env },
  });
  let printed = '';
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const port = await new Promise<number>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      printed += chunk;
      const listening = /"port":(\d+)[^\n]*"msg":"tollgate is listening"/.exec(printed);
      if (listening !== null) resolve(Number(listening[1]));
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    void ended.then((code) => reject(new Error(`serve ended with ${code}: ${printed}`)));
  });
  return {
    pid: child.pid as number,
    url: `http://127.0.0.1:${port}`,
    output: () => printed,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
