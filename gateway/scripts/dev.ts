/**
 * Runs the gateway and the console for development, in one terminal: the gateway starts again when one of its files
 * changes, and the console changes in the browser. Stops both on Ctrl-C.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const RUNNING = /is running at (http:\/\/\S+)/;
const CONSOLE_PORT = process.env.CONSOLE_PORT ?? '5173';
const CONSOLE = `http://localhost:${CONSOLE_PORT}`;
/** After this, what has not stopped is killed. */
const STOP_MS = 10_000;

const children = new Set<ChildProcess>();
let stopping = false;

const gateway = start(
  process.execPath,
  ['--watch', '--watch-preserve-output', 'gateway/bin/tollgate.js', 'serve'],
  {
    // Its server uses the address of the console in links, and accepts what that page sends.
    TOLLGATE_PUBLIC_URL: CONSOLE,
  },
);
const address = await addressOf(gateway);
start(
  join(root, 'node_modules/.bin/vite'),
  ['--port', CONSOLE_PORT, '--strictPort', '--clearScreen', 'false'],
  {
    TOLLGATE_GATEWAY: address,
  },
);
process.stdout.write(`\nThe console, with hot reload: ${CONSOLE}/console/. Stop both with Ctrl-C.\n\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(0));

/** In a group of its own: a signal from the terminal reaches only this process, which passes it on once. */
function start(program: string, args: readonly string[], env: Record<string, string>): ChildProcess {
  const cwd = program.endsWith('vite') ? join(root, 'console') : root;
  const child = spawn(program, args, {
    ...{ cwd, detached: true, env: { ...process.env, ...env } },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  child.stdout?.pipe(process.stdout, { end: false });
  child.on('exit', (code) => {
    children.delete(child);
    // If one of them ends by itself, the other is of no use.
    if (!stopping) stop(code ?? 1);
  });
  return child;
}

/** Where the gateway listens: the next free port if 8080 is in use. */
async function addressOf(child: ChildProcess): Promise<string> {
  let said = '';
  for (;;) {
    const [text] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    said += text.toString();
    const found = RUNNING.exec(said)?.[1];
    if (found !== undefined) return found.replace('localhost', '127.0.0.1');
  }
}

function stop(code: number): void {
  if (stopping) return;
  stopping = true;
  if (children.size === 0) process.exit(code);
  setTimeout(() => signalAll('SIGKILL'), STOP_MS).unref();
  for (const child of children)
    child.on('exit', () => {
      if (children.size === 0) process.exit(code);
    });
  signalAll('SIGTERM');
}

function signalAll(signal: NodeJS.Signals): void {
  for (const { pid } of children) {
    if (pid === undefined) continue;
    try {
      process.kill(-pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}
