/** How a person, member or operator, gets a way into the console. */
import type { Command } from 'commander';
import { askServer } from '../app/admin-socket.ts';
import type { ServerStatus } from '../app/serve.ts';
import { administer, type CommonFlags, dataFolderOf, flagsOf } from './administer.ts';
import { printFields, type Row } from './print.ts';
import { type PasswordFlags, readPassword } from './read-password.ts';
import { signInLink } from './sign-in-link.ts';

/** Adds `password` and `link` to a group of commands about people. */
export function addSignInCommands(group: Command): void {
  group
    .command('password <email>')
    .description('set the password someone signs in to the console with; ends their sessions')
    .option('--password-stdin', 'read it from standard input instead of asking')
    .action(async (email: string, _: unknown, command: Command) => {
      const flags = flagsOf<PasswordFlags>(command);
      const password = await readPassword(flags, { again: true });
      const changed = await administer<Row>('people.password', { email, password }, flags);
      printFields(changed, { json: flags.json ?? false });
    });
  group
    .command('link <email>')
    .description('make a link that signs someone in to the console, once')
    .action(async (email: string, _: unknown, command: Command) => {
      const flags = flagsOf(command);
      const { code, ...made } = await administer<Row>('people.link', { email }, flags);
      const link = signInLink(await consoleUrl(flags), String(code));
      printFields({ ...made, link }, { json: flags.json ?? false });
    });
}

/** Where the server that runs here is found, or where one would be that runs by this configuration. */
async function consoleUrl(flags: CommonFlags): Promise<string> {
  const dataFolder = dataFolderOf(flags);
  const running = await askServer(dataFolder, { command: 'status', args: {} });
  if (running !== null) return (running.result as ServerStatus).consoleUrl;
  const { readInstallation } = await import('./read-installation.ts');
  const { publicUrl, host, port } = (await readInstallation(flags)).settings;
  return `${publicUrl ?? `http://${host}:${port}`}/console`;
}
