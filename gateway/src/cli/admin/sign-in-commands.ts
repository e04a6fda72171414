/** `password` and `link`: how a member or an operator gets a way to sign in. */
import { argument, type CommonFlags } from '../command.ts';
import { printFields } from '../print.ts';
import { passwordStdin, readPassword } from '../read-password.ts';
import { runningServer } from '../running-server.ts';
import { signInLink } from '../sign-in-link.ts';
import { adminCommand } from './admin-command.ts';
import { findRemote } from './remote.ts';

const email = argument('<email>', 'the e-mail address of the person');

const password = adminCommand('people.password', {
  name: 'password',
  help: "set a person's password for the console, and end their sessions",
  arguments: { email },
  options: { passwordStdin },
  input: async ({ email, passwordStdin }) => ({
    email,
    password: await readPassword({ passwordStdin, again: true }),
  }),
});

const link = adminCommand('people.link', {
  name: 'link',
  help: 'create a link that signs a person in to the console once',
  arguments: { email },
  async print({ code, ...made }, flags) {
    printFields({ ...made, link: signInLink(await consoleUrl(flags), code) }, flags);
  },
});

/** Part of every group of commands about people. */
export const signInCommands = [password, link];

/** Of the running server, or of the one that this configuration would start. */
async function consoleUrl(flags: CommonFlags): Promise<string> {
  const remote = findRemote(flags, process.env, 'named');
  if (remote !== null) return `${remote.url}/console`;
  const running = await runningServer(flags);
  if (running !== null) return running.consoleUrl;
  const { readInstallation } = await import('../read-installation.ts');
  const { publicUrl, host, port } = (await readInstallation(flags)).settings;
  return `${publicUrl ?? `http://${host}:${port}`}/console`;
}
