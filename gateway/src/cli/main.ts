/** The command line. Each file here is one group of commands; this one puts them together. */
import { Command, CommanderError } from 'commander';
import { version } from '../app/version.ts';
import { addAuditCommand } from './audit.ts';
import { addBatchCommands } from './batch.ts';
import { addBatchesCommands } from './batches.ts';
import { addBuildLogCommand } from './build-logs.ts';
import { addConfigCommands } from './config.ts';
import { addDoctorCommand } from './doctor.ts';
import { addGrantCommands } from './grants.ts';
import { addInitCommand } from './init.ts';
import { addJobCommands } from './jobs.ts';
import { addKeyCommands } from './keys.ts';
import { addLedgerCommands } from './ledger.ts';
import { addLoginCommands } from './login.ts';
import { addLogCommands } from './logs.ts';
import { addMediaCommands } from './media.ts';
import { addMemberCommands } from './members.ts';
import { addModelCommands } from './models.ts';
import { addOperatorCommands } from './operators.ts';
import { addProjectCommands } from './projects.ts';
import { addReferenceCommands } from './references.ts';
import { addServeCommand } from './serve.ts';
import { addSpaceCommands } from './spaces.ts';
import { addStatusCommand } from './status.ts';
import { addUsageCommands } from './usage.ts';
import { addVideoCommand } from './video.ts';
import { addWhyCommand } from './why.ts';

/**
 * Errors that are one sentence for a person. By name, because loading the classes would load most of
 * the product, and a command should start at once.
 */
const MEANT = [
  'AdminError',
  'SettingsError',
  'ConfigError',
  'ConsoleError',
  'DatabaseRefused',
  'DatabaseUnavailable',
];

/** 0 done, 1 it did not work, 2 the command was not understood. */
const FAILED = 1;
const MISUSED = 2;

export async function main(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', leaveWithReader);
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
  addBatchesCommands(program);
  addLedgerCommands(program);
  addUsageCommands(program);
  addWhyCommand(program);
  addAuditCommand(program);
  addOperatorCommands(program);
  addProjectCommands(program);
  addLoginCommands(program);
  addBatchCommands(program);
  addVideoCommand(program);
  addJobCommands(program);
  addReferenceCommands(program);
  addMediaCommands(program);
  addLogCommands(program);
  addBuildLogCommand(program);
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

/** Whoever reads us may have seen enough: `tollgate audit | head -3` is no failure. */
function leaveWithReader(error: Error & { code?: string }): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}

/** Anything that is not meant for a person is a bug, and shows its stack. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
  const { name, message, stack } = error as Error;
  const text = MEANT.includes(name) ? message : (stack ?? String(error));
  process.stderr.write(`tollgate: ${text}\n`);
  return FAILED;
}
