/** The table of commands in docs/command-line.md, made from their declarations. */
import type { Command } from 'commander';
import type { CliCommand } from '../src/cli/command.ts';
import { allCommands, findCommands } from '../src/cli/commands.ts';
import { buildProgram } from '../src/cli/main.ts';
import { replaceMarked } from './replace-marked.ts';

export async function withCommands(document: string): Promise<string> {
  const program = buildProgram(await findCommands(), () => undefined);
  const rows = commandRows(program, await allCommands(), []);
  return replaceMarked(document, 'commands', `| command | what it does |\n|---|---|\n${rows.join('')}`);
}

/** In the order of the help. */
function commandRows(parent: Command, commands: readonly CliCommand[], above: readonly string[]): string[] {
  return commands.flatMap((one) => {
    const made = parent.commands.find((child) => child.name() === one.name) as Command;
    if (one.commands.length > 0) return commandRows(made, one.commands, [...above, one.name]);
    const places = made.registeredArguments.map((each) =>
      each.required ? `<${each.name()}>` : `[${each.name()}]`,
    );
    const usage = [...above, one.name, ...places].join(' ').replaceAll('|', '\\|');
    return [`| \`${usage}\` | ${one.help} |\n`];
  });
}
