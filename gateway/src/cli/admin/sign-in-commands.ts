/** `password` and `link`: how a member or an operator gets a way to sign in. */
import type { Flags } from '../../app/settings.ts';
import { argument, command } from '../command.ts';
import { printFields } from '../print.ts';
import { passwordStdin, readPassword } from '../read-password.ts';
import { runningServer } from '../running-server.ts';
import { signInLink } from '../sign-in-link.ts';
import { administer, administerAndPrint } from './administer.ts';

const email = argument('<email>', 'the e-mail address of the person');

const password = command({
  name: 'password',
  help: "set a person's password for the console, and end their sessions",
  arguments: { email },
  options: { passwordStdin },
  async run({ email, passwordStdin }, flags) {
    const password = await readPassword({ passwordStdin, again: true });
    await administerAndPrint('people.password', { email, password }, flags);
  },
});

const link = command({
  name: 'link',
  help: 'create a link that signs a person in to the console once',
  arguments: { email },
  async run(input, flags) {
    const { code, ...made } = await administer('people.link', input, flags);
    printFields({ ...made, link: signInLink(await consoleUrl(flags), code) }, flags);
  },
});

/** Part of every group of commands about people. */
export const signInCommands = [password, link];

/** Of the running server, or of the one that this configuration would start. */
async function consoleUrl(flags: Flags): Promise<string> {
  const running = await runningServer(flags);
  if (running !== null) return running.consoleUrl;
  const { readInstallation } = await import('../read-installation.ts');
  const { publicUrl, host, port } = (await readInstallation(flags)).settings;
  return `${publicUrl ?? `http://${host}:${port}`}/console`;
}
