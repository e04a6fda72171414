/** Runs a program that prints a credential: without a terminal, and with limits on its time and output. */
import { spawn } from 'node:child_process';
import type { Clock } from '../../kernel/time.ts';
import { CredentialError } from './credentials.ts';

export interface ProgramCall {
  /** Looked up in PATH unless it is a path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const PROGRAM_MS_MAX = 60_000;
const OUTPUT_BYTES_MAX = 1024 * 1024;
const ERROR_CHARACTERS_MAX = 500;

/** What the program printed. Errors quote its stderr, never its stdout, which may hold a secret. */
export function runProgram(call: ProgramCall, clock: Clock, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const { command, args, env } = call;
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const output: Buffer[] = [];
    let [bytes, errorText] = [0, ''];
    const finish = (settle: () => void): void => {
      cancel();
      signal.removeEventListener('abort', stop);
      settle();
    };
    const fail = (reason: string, cause?: unknown): void => {
      child.kill('SIGKILL');
      finish(() => reject(new CredentialError(`The program ${command} ${reason}`, { cause })));
    };
    const stop = (): void => fail('was stopped.');
    const cancel = clock.after(PROGRAM_MS_MAX, () =>
      fail(`did not finish within ${PROGRAM_MS_MAX / 1000} seconds.`),
    );
    signal.addEventListener('abort', stop);
    child.stdout.on('data', (chunk: Buffer) => {
      output.push(chunk);
      bytes += chunk.length;
      if (bytes > OUTPUT_BYTES_MAX) fail('printed too much.');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errorText = (errorText + chunk.toString('utf8')).slice(-ERROR_CHARACTERS_MAX);
    });
    child.on('error', (error) => fail(`could not be started: ${error.message}.`, error));
    child.on('close', (code, killedBy) => {
      if (code === 0) finish(() => resolve(Buffer.concat(output).toString('utf8')));
      else fail(`failed with ${code === null ? killedBy : `exit code ${code}`}: ${errorText.trim()}`);
    });
    if (signal.aborted) stop();
  });
}
