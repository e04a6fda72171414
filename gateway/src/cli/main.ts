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
  'ClusterError',
  'DatabaseRefused',
  'DatabaseUnavailable',
];

/** 0 done, 1 it did not work, 2 the command was not understood. */
const FAILED = 1;
const MISUSED = 2;

export async function main(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', leaveWithReader);
  // What a server breaks with is a bug, and shows all there is to know of it.
  if (!argv.includes('serve')) process.on('uncaughtException', (error) => endWith(error, argv));
  const program = new Command('tollgate')
    .description('A multi-tenant model gateway: every call passes, is metered exactly, and pays in units.')
    .version(version)
    .option('--data <folder>', 'where the installation keeps its data (TOLLGATE_DATA, ./data)')
    .option('--config <file>', 'the configuration file (TOLLGATE_CONFIG, ./tollgate.yaml)')
    .option('--json', 'print JSON')
    .option('--verbose', 'show where an unexpected error comes from')
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
    process.exitCode = report(error, { verbose: program.opts<{ verbose?: boolean }>().verbose ?? false });
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

/** An error that no command waited for. */
function endWith(error: Error, argv: readonly string[]): void {
  process.exit(report(error, { verbose: argv.includes('--verbose') }));
}

/** Errors that are not meant for a person are one sentence too; their stack is shown on request. */
function report(error: unknown, { verbose }: { verbose: boolean }): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const text = MEANT.includes(name) ? message : (fileTrouble(error) ?? unexpected(message, verbose));
  process.stderr.write(`tollgate: ${text}\n`);
  if (verbose) process.stderr.write(`${stack}\n`);
  return FAILED;
}

function unexpected(message: string, verbose: boolean): string {
  const hint = verbose ? '' : ' Run it again with --verbose to see where.';
  return `An unexpected error occurred: ${message.split('\n')[0]}.${hint}`.replace('..', '.');
}

const FILE_TROUBLES: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `There is no file ${path}.`,
  EACCES: (path) => `${path} cannot be opened: permission denied.`,
  EPERM: (path) => `${path} cannot be opened: permission denied.`,
  EISDIR: (path) => `${path} is a folder; name a file.`,
  ENOTDIR: (path) => `${path} cannot be opened: a part of its path is not a folder.`,
  ENOSPC: (path) => `${path} cannot be written: the disk is full.`,
  EROFS: (path) => `${path} cannot be written: the disk is read-only.`,
};

/** Of a file that a command was given; null for anything else. */
function fileTrouble(error: unknown): string | null {
  const { code, path } = error as { code?: string; path?: string };
  return path === undefined ? null : (FILE_TROUBLES[code ?? '']?.(path) ?? null);
}
