/** Reads a password: from standard input for scripts, otherwise from the terminal, without showing it. */
import { SettingsError } from '../app/settings.ts';
import { flag } from './command.ts';

const PASSWORD_BYTES_MAX = 4_096;
const [ENTER, LINE_FEED, INTERRUPT, END, BACKSPACE, DELETE] = [
  '\r',
  '\n',
  '\u0003',
  '\u0004',
  '\b',
  '\u007f',
];

export const passwordStdin = flag('read the password from standard input instead of asking');

/** `again`: a new password is typed twice. */
export async function readPassword(options: { passwordStdin: boolean; again: boolean }): Promise<string> {
  if (options.passwordStdin) return await readStandardInput();
  if (!process.stdin.isTTY) {
    throw new SettingsError(
      'There is no terminal to ask for the password; pass it on standard input with --password-stdin.',
    );
  }
  const password = await ask('Password: ');
  if (options.again && (await ask('Repeat the password: ')) !== password)
    throw new SettingsError('The two passwords are different.');
  return password;
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > PASSWORD_BYTES_MAX)
      throw new SettingsError(`The password on standard input is longer than ${PASSWORD_BYTES_MAX} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

/** Asks on standard error, so that the output of the command can be piped. */
function ask(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // Before the question is written, or a quick answer would be echoed.
  stdin.setRawMode(true).setEncoding('utf8').resume();
  stderr.write(question);
  return new Promise((resolve, reject) => {
    let typed = '';
    const end = (finish: () => void): void => {
      stdin.off('data', onData).setRawMode(false).pause();
      stderr.write('\n');
      finish();
    };
    const onKey = (key: string): boolean => {
      if (key === BACKSPACE || key === DELETE) typed = [...typed].slice(0, -1).join('');
      else if (key === ENTER || key === LINE_FEED || key === END) end(() => resolve(typed));
      else if (key === INTERRUPT) end(() => reject(new SettingsError('Cancelled.')));
      else if (key >= ' ') typed += key;
      return stdin.isRaw;
    };
    // Stops at the first end of line: anything pasted after it is dropped.
    const onData = (text: string): void => void [...text].every(onKey);
    stdin.on('data', onData);
  });
}
