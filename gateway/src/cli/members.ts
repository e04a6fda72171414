import type { Command } from 'commander';
import { administer, administerAndPrint, flagsOf } from './administer.ts';
import { printFields, printRows, type Row } from './print.ts';
import { addSignInCommands } from './sign-in-commands.ts';

interface MemberFlags {
  readonly space?: string;
  readonly nickname?: string;
  readonly role: string;
}

export function addMemberCommands(program: Command): void {
  const members = program.command('members').description('the people of a space');
  members
    .command('add <email>')
    .description('add a person')
    .option('--space <name>', 'the space (may be left out when there is only one)')
    .option('--nickname <name>', 'how reports call them (default: the part of the e-mail before the @)')
    .option('--role <role>', 'admin or member', 'member')
    .action(async (email: string, _: unknown, command: Command) => {
      const flags = flagsOf<MemberFlags>(command);
      const { space, nickname, role } = flags;
      const made = await administer<Row>('members.add', { email, space, nickname, role }, flags);
      printFields(made, { json: flags.json ?? false });
    });
  members
    .command('list')
    .description('list the people of a space')
    .option('--space <name>', 'the space')
    .action(async (_: unknown, command: Command) => {
      const flags = flagsOf<MemberFlags>(command);
      const rows = await administer<Row[]>('members.list', { space: flags.space }, flags);
      printRows(rows, {
        json: flags.json ?? false,
        empty: 'No members yet. Add one with "tollgate members add EMAIL".',
      });
    });
  members
    .command('remove <email>')
    .description('remove a person; their personal keys stop working')
    .option('--space <name>', 'the space')
    .action(async (email: string, _: unknown, command: Command) => {
      const flags = flagsOf<MemberFlags>(command);
      const removed = await administer<Row>('members.remove', { email, space: flags.space }, flags);
      printFields({ ...removed, removed: true }, { json: flags.json ?? false });
    });
  members
    .command('limit <email> <amount|none>')
    .description('limit the units a member may spend in a month, or take the limit away')
    .option('--space <name>', 'the space')
    .action(async (email: string, amount: string, _: unknown, command: Command) => {
      const flags = flagsOf<{ space?: string }>(command);
      const args = { email, amount, space: flags.space };
      await administerAndPrint('members.limit', args, flags);
    });
  addSignInCommands(members);
}
