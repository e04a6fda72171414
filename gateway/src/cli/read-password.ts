/** Reads a password: from standard input for scripts, else from the terminal, without showing it. */
import { SettingsError } from '../app/settings.ts';

const PASSWORD_BYTES_MAX = 4_096;
const [ENTER, LINE_FEED, INTERRUPT, END, BACKSPACE, DELETE] = [
  '\r',
  '\n',
  '\u0003',
  '\u0004',
  '\b',
  '\u007f',
];

export interface PasswordFlags {
  readonly passwordStdin?: boolean;
}

/** `again`: a new password is typed twice. */
export async function readPassword(flags: PasswordFlags, options: { again: boolean }): Promise<string> {
  if (flags.passwordStdin) return await readStandardInput();
  if (!process.stdin.isTTY) {
    throw new SettingsError(
      'There is no terminal to ask for the password on; send it with --password-stdin.',
    );
  }
  const password = await ask('Password: ');
  if (options.again && (await ask('The same again: ')) !== password)
    throw new SettingsError('The two are not the same.');
  return password;
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > PASSWORD_BYTES_MAX) throw new SettingsError('What came on standard input is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

/** The question goes to standard error, so that the answer of a command can be piped. */
function ask(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // Before the question, or a quick answer would still be shown.
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
      else if (key === INTERRUPT) end(() => reject(new SettingsError('Given up.')));
      else if (key >= ' ') typed += key;
      return stdin.isRaw;
    };
    // What was pasted after an end of line belongs to nobody.
    const onData = (text: string): void => void [...text].every(onKey);
    stdin.on('data', onData);
  });
}
