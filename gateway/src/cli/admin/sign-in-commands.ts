/** `password` and `link`: how a member or an operator gets a way to sign in. */
import { argument, type CliCommand, type CommonFlags } from '../command.ts';
import { printFields } from '../print.ts';
import { passwordStdin, readPassword } from '../read-password.ts';
import { runningServer } from '../running-server.ts';
import { signInLink } from '../sign-in-link.ts';
import { email as emailAddress } from '../words.ts';
import { adminCommand } from './admin-command.ts';
import type { Administration } from './administration.ts';

const email = argument('<email>', 'the e-mail address of the person', emailAddress);

/** Part of every group of commands about people. */
export function signInCommands(group: 'members' | 'operators'): CliCommand[] {
  const password = adminCommand('people.password', {
    help: "set a person's password for the console, and end their sessions",
    examples: [`tollgate ${group} password kim@example.com`],
    arguments: { email },
    options: { passwordStdin },
    input: async ({ email, passwordStdin }) => ({
      email,
      password: await readPassword({ passwordStdin, again: true }),
    }),
  });
  const link = adminCommand('people.link', {
    help: 'create a link that signs a person in to the console once',
    examples: [`tollgate ${group} link kim@example.com`],
    arguments: { email },
    async print({ code, ...made }, flags, { server }) {
      printFields({ ...made, link: signInLink(await consoleUrl(flags, server), code) }, flags);
    },
  });
  return [password, link];
}

/** Of the server that was asked, of the running one, or of the one that this configuration would start. */
export async function consoleUrl(flags: CommonFlags, server: Administration['server']): Promise<string> {
  if (server !== null) return `${server}/console`;
  const running = await runningServer(flags);
  if (running !== null) return running.consoleUrl;
  const { readInstallation } = await import('../read-installation.ts');
  const { publicUrl, host, port } = (await readInstallation(flags)).settings;
  return `${publicUrl ?? `http://${host}:${port}`}/console`;
}
