/** `operators`: the people who run the installation. */
import { argument, command, group } from '../command.ts';
import { printRows } from '../print.ts';
import { passwordStdin, readPassword } from '../read-password.ts';
import { administer, administerAndPrint } from './administer.ts';
import { signInCommands } from './sign-in-commands.ts';

const email = argument('<email>', 'the e-mail address of the operator');

const add = command({
  name: 'add',
  help: 'give someone operator rights and a password for the console',
  arguments: { email },
  options: { passwordStdin },
  async run({ email, passwordStdin }, flags) {
    const password = await readPassword({ passwordStdin, again: true });
    await administerAndPrint('operators.add', { email, password }, flags);
  },
});

const list = command({
  name: 'list',
  help: 'list the operators',
  async run(_, flags) {
    const empty = 'No operators yet. Add one with "tollgate operators add EMAIL".';
    printRows(await administer('operators.list', {}, flags), { json: flags.json, empty });
  },
});

const remove = command({
  name: 'remove',
  help: 'remove operator rights; the person keeps the spaces they are a member of',
  arguments: { email },
  run: (input, flags) => administerAndPrint('operators.remove', input, flags),
});

export const operatorCommands = group({
  name: 'operators',
  help: 'manage operators, who run the installation and see every space in the console',
  commands: [add, list, remove, ...signInCommands],
});
