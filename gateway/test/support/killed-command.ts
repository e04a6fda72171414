/** A command that is killed (SIGKILL) as soon as something is the case, as by a power loss. */
import { spawn } from 'node:child_process';
import { systemClock as clock, pause } from '../../src/kernel/time.ts';
import { EMBEDDED_FLAGS } from './node-flags.ts';
import { program } from './program.ts';

export interface KilledCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The moment of the kill. */
  when(): boolean | Promise<boolean>;
}

/** Whether it was killed; false if it ended before. */
export async function killCommand({ args, env, when }: KilledCommand): Promise<boolean> {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, [...EMBEDDED_FLAGS, program(), ...args], {
    env: { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...env },
    stdio: 'ignore',
  });
  let over = false;
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (_, signal) => {
      over = true;
      resolve(signal);
    });
  });
  while (!over && !(await when())) await pause(clock, 1);
  child.kill('SIGKILL');
  return (await ended) === 'SIGKILL';
}
