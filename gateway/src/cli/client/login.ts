/** `login` and `logout`: a console session for the command line. */
import { SettingsError } from '../../app/settings.ts';
import type { ConsoleSession } from '../../contract/console.ts';
import { type CommonFlags, command, flag, flagOn, option } from '../command.ts';
import { printFields } from '../print.ts';
import { passwordStdin, readPassword } from '../read-password.ts';
import { email } from '../words.ts';
import { AnswerError } from './answer-error.ts';
import { callConsole, serverUrl } from './console-client.ts';
import { readSession, removeSession, sessionFile, writeSession } from './session-file.ts';

interface SignIn {
  readonly email: string | undefined;
  readonly link: string | undefined;
  readonly issuer: string | undefined;
  readonly browser: boolean;
  readonly passwordStdin: boolean;
}

const SESSION = '/api/console/session';

export const loginCommand = command({
  name: 'login',
  help: 'sign in as a person, to administer a server and to read logs',
  note:
    'It opens your browser, in which you sign in as usual and confirm a code. Without a browser it prints the address,\n' +
    'which you can open on any machine.',
  examples: [
    'tollgate login --url https://tollgate.example.com',
    'tollgate login --url https://tollgate.example.com --email kim@example.com',
    "tollgate login --link 'https://tollgate.example.com/console/sign-in#sl_…'",
  ],
  options: {
    email: option('<email>', 'your e-mail address', { read: email }),
    passwordStdin,
    link: option('<link>', 'sign in with a one-time link instead of a password'),
    issuer: option('<name>', 'sign in through this identity provider, in a browser'),
    browser: flagOn('do not open a browser; print the address'),
    printToken: flag('print the session token for "Authorization: Bearer …"; signs in only if needed'),
  },
  async run({ printToken, ...input }, flags) {
    const kept = printToken ? await keptToken(input, flags) : null;
    if (kept !== null) {
      process.stdout.write(`${kept}\n`);
      return;
    }
    const file = sessionFile(process.env);
    if (file === null) {
      throw new SettingsError('TOLLGATE_SESSION already holds a session; unset it to sign in to another.');
    }
    const url = await urlOf(input, flags);
    const session = await signIn(url, input);
    const { token = '', expires_at, person, spaces } = session;
    writeSession(file, { url, email: person.email, token, expires_at });
    if (printToken) process.stdout.write(`${token}\n`);
    else {
      const seen = spaces.map(({ name, role }) => `${name} (${role})`).join(', ') || 'none yet';
      const shown = { email: person.email, server: url, spaces: seen, expires: expires_at, kept_in: file };
      printFields(shown, flags);
    }
  },
});

export const logoutCommand = command({
  name: 'logout',
  help: 'end the session of "login"',
  examples: ['tollgate logout'],
  async run(_, flags) {
    const session = readSession(process.env);
    if (session === null) throw new SettingsError('You are not signed in.');
    const url = session.url ?? (await serverUrl(undefined, flags, process.env));
    await endSession(url, session.token);
    const file = sessionFile(process.env);
    if (file !== null) removeSession(file);
    printFields({ server: url, signed_out: true }, flags);
  },
});

async function signIn(
  url: string,
  { email, link, issuer, browser, passwordStdin }: SignIn,
): Promise<ConsoleSession> {
  if (link !== undefined) {
    const code = link.slice(link.indexOf('#') + 1);
    const call = { method: 'POST', path: `${SESSION}/link`, body: { code, keep: 'token' } } as const;
    return await callConsole<ConsoleSession>(url, call);
  }
  if (email === undefined || issuer !== undefined) {
    // In a script nobody would see the code, and the command would wait for it in vain.
    if (issuer === undefined && !process.stderr.isTTY)
      throw new SettingsError(
        'There is no terminal to show a code on. Sign in with --email EMAIL --password-stdin, with a one-time link: --link LINK, or through an issuer: --issuer NAME.',
      );
    const { signInByCode } = await import('./device-login.ts');
    const say = (line: string): void => void process.stderr.write(`${line}\n`);
    return await signInByCode(url, { issuer, browser, say });
  }
  warnOfPlainText(url);
  const password = await readPassword({ passwordStdin, again: false });
  const call = { method: 'POST', path: SESSION, body: { email, password, keep: 'token' } } as const;
  return await callConsole<ConsoleSession>(url, call);
}

function warnOfPlainText(url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) return;
  process.stderr.write(`Warning: the password is sent to ${url} unencrypted; use https.\n`);
}

/** A complete link contains the address of its server. */
async function urlOf({ link = '' }: SignIn, flags: CommonFlags): Promise<string> {
  if (flags.url === undefined && URL.canParse(link)) return new URL(link).origin;
  return await serverUrl(flags.url, flags, process.env);
}

/** The stored token, if the server still accepts it and the caller did not name another account. */
async function keptToken(input: SignIn, flags: CommonFlags): Promise<string | null> {
  if (input.email !== undefined || input.link !== undefined) return null;
  const session = readSession(process.env);
  if (session === null) return null;
  const url = flags.url ?? session.url ?? (await serverUrl(undefined, flags, process.env));
  if (session.url !== null && new URL(url).origin !== session.url) return null;
  try {
    await callConsole(url, { method: 'GET', path: SESSION, token: session.token });
    return session.token;
  } catch (error) {
    if (error instanceof AnswerError && error.status === 401) return null;
    throw error;
  }
}

/** A session that has already expired counts as ended. */
async function endSession(url: string, token: string): Promise<void> {
  try {
    await callConsole(url, { method: 'DELETE', path: SESSION, token });
  } catch (error) {
    if (!(error instanceof AnswerError) || error.status !== 401) throw error;
  }
}
