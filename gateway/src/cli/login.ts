/** `login` and `logout`: a console session for the command line. */
import type { Command } from 'commander';
import { SettingsError } from '../app/settings.ts';
import type { ConsoleSession } from '../contract/console.ts';
import { type CommonFlags, flagsOf } from './administer.ts';
import { ConsoleError, callConsole, serverUrl } from './console-client.ts';
import { printFields } from './print.ts';
import { type PasswordFlags, readPassword } from './read-password.ts';
import { readSession, removeSession, sessionFile, writeSession } from './session-file.ts';

interface LoginFlags extends CommonFlags, PasswordFlags {
  readonly url?: string;
  readonly email?: string;
  readonly link?: string;
  readonly printToken?: boolean;
}

const SESSION = '/api/console/session';

export function addLoginCommands(program: Command): void {
  program
    .command('login')
    .description('sign in to the console for the commands that act as a person')
    .option('--url <url>', 'the server (TOLLGATE_URL; default: the one running here)')
    .option('--email <email>', 'who you are')
    .option('--password-stdin', 'read the password from standard input instead of asking')
    .option('--link <link>', 'sign in with a one-time link instead of a password')
    .option('--print-token', 'print the session for "Authorization: Bearer …"; signs in only if nobody is')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf<LoginFlags>(command);
      const kept = flags.printToken ? await keptToken(flags) : null;
      if (kept !== null) {
        process.stdout.write(`${kept}\n`);
        return;
      }
      const file = sessionFile(process.env);
      if (file === null) {
        throw new SettingsError('TOLLGATE_SESSION holds a session already; unset it to sign in to another.');
      }
      const url = await urlOf(flags);
      const session = await signIn(url, flags);
      const { token = '', expires_at, person, spaces } = session;
      writeSession(file, { url, email: person.email, token, expires_at });
      if (flags.printToken) process.stdout.write(`${token}\n`);
      else {
        const seen = spaces.map(({ name, role }) => `${name} (${role})`).join(', ') || 'none yet';
        const shown = { email: person.email, server: url, spaces: seen, expires: expires_at, kept_in: file };
        printFields(shown, { json: flags.json ?? false });
      }
    });
  program
    .command('logout')
    .description('end the session of "login"')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf(command);
      const session = readSession(process.env);
      if (session === null) throw new SettingsError('Nobody is signed in.');
      const url = session.url ?? (await serverUrl(flags, process.env));
      await endSession(url, session.token);
      const file = sessionFile(process.env);
      if (file !== null) removeSession(file);
      printFields({ server: url, signed_out: true }, { json: flags.json ?? false });
    });
}

async function signIn(url: string, flags: LoginFlags): Promise<ConsoleSession> {
  if (flags.link !== undefined) {
    const code = flags.link.slice(flags.link.indexOf('#') + 1);
    const call = { method: 'POST', path: `${SESSION}/link`, body: { code, keep: 'token' } } as const;
    return await callConsole<ConsoleSession>(url, call);
  }
  const { email } = flags;
  if (email === undefined) {
    throw new SettingsError('Say who you are with --email, or sign in with a one-time link: --link LINK.');
  }
  warnOfPlainText(url);
  const password = await readPassword(flags, { again: false });
  const call = { method: 'POST', path: SESSION, body: { email, password, keep: 'token' } } as const;
  return await callConsole<ConsoleSession>(url, call);
}

function warnOfPlainText(url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) return;
  process.stderr.write(`Warning: the password goes to ${url} unencrypted; use https.\n`);
}

/** A whole link says where its server is. */
async function urlOf(flags: LoginFlags): Promise<string> {
  const { url, link = '' } = flags;
  if (url === undefined && URL.canParse(link)) return new URL(link).origin;
  return await serverUrl(flags, process.env);
}

/** The token that is kept, if it still opens the server and nothing else was asked for. */
async function keptToken(flags: LoginFlags): Promise<string | null> {
  if (flags.email !== undefined || flags.link !== undefined) return null;
  const session = readSession(process.env);
  if (session === null) return null;
  const url = flags.url ?? session.url ?? (await serverUrl(flags, process.env));
  if (session.url !== null && new URL(url).origin !== session.url) return null;
  try {
    await callConsole(url, { method: 'GET', path: SESSION, token: session.token });
    return session.token;
  } catch (error) {
    if (error instanceof ConsoleError && error.status === 401) return null;
    throw error;
  }
}

/** A session that has ended by itself is ended. */
async function endSession(url: string, token: string): Promise<void> {
  try {
    await callConsole(url, { method: 'DELETE', path: SESSION, token });
  } catch (error) {
    if (!(error instanceof ConsoleError) || error.status !== 401) throw error;
  }
}
