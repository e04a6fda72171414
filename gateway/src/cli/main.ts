/** The command line. Each file here is one group of commands; this one puts them together. */
import { Command, CommanderError } from 'commander';
import { AdminError } from '../app/admin-commands.ts';
import { SettingsError } from '../app/settings.ts';
import { version } from '../app/version.ts';
import { ConfigError } from '../catalog/config-file.ts';
import { DatabaseRefused, DatabaseUnavailable } from '../database/database.ts';
import { addConfigCommands } from './config.ts';
import { addDoctorCommand } from './doctor.ts';
import { addGrantCommands } from './grants.ts';
import { addInitCommand } from './init.ts';
import { addKeyCommands } from './keys.ts';
import { addMemberCommands } from './members.ts';
import { addModelCommands } from './models.ts';
import { addServeCommand } from './serve.ts';
import { addSpaceCommands } from './spaces.ts';
import { addStatusCommand } from './status.ts';

/** 0 done, 1 it did not work, 2 the command was not understood. */
const FAILED = 1;
const MISUSED = 2;

export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('tollgate')
    .description('A multi-tenant model gateway: every call passes, is metered exactly, and pays in units.')
    .version(version)
    .option('--data <folder>', 'where the installation keeps its data (TOLLGATE_DATA, ./data)')
    .option('--config <file>', 'the configuration file (TOLLGATE_CONFIG, ./tollgate.yaml)')
    .option('--json', 'print JSON')
    .showHelpAfterError('Run the command with --help to see how it is used.')
    .exitOverride();
  addInitCommand(program);
  addServeCommand(program);
  addStatusCommand(program);
  addDoctorCommand(program);
  addConfigCommands(program);
  addSpaceCommands(program);
  addMemberCommands(program);
  addKeyCommands(program);
  addModelCommands(program);
  addGrantCommands(program);
  for (const command of allCommands(program)) command.copyInheritedSettings(program);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = report(error);
  }
}

function allCommands(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...allCommands(child)]);
}

/** Errors that are meant for a person are one sentence; anything else is a bug and shows its stack. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
  const meant = [AdminError, SettingsError, ConfigError, DatabaseRefused, DatabaseUnavailable];
  const text = meant.some((kind) => error instanceof kind)
    ? (error as Error).message
    : ((error as Error).stack ?? error);
  process.stderr.write(`tollgate: ${text}\n`);
  return FAILED;
}
