/** A small program of this folder in a process of its own, which speaks in lines. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Child {
  /** The next line it says; fails when it ends without one. */
  line(): Promise<string>;
  tell(text: string): void;
  /** SIGKILL; resolves when the system has removed the process. */
  kill(): Promise<void>;
}

export function startChild(program: string, ...args: string[]): Child {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const killWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  void exited.then(() => process.off('exit', killWithUs));
  let complaints = '';
  child.stderr?.on('data', (piece: Buffer) => {
    complaints += piece.toString('utf8');
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return {
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${program} ended: ${complaints}`);
      return value;
    },
    tell: (text) => void child.stdin?.write(text),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
