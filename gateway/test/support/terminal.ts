/** Runs a command on a terminal of a given width, as `script` of util-linux makes one. */
import { spawn } from 'node:child_process';

/** What it printed, with its escape sequences. */
export async function spawnOn(
  { columns, env }: { columns: number; env: Readonly<Record<string, string>> },
  command: readonly string[],
): Promise<string> {
  const { PATH, HOME } = process.env;
  const line = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols ${columns}; ${line}`, '/dev/null'], {
    env: { PATH, HOME, TERM: 'xterm-256color', ...env } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return text;
}
