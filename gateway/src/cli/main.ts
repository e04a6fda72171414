/** The command line: puts the commands together, runs the one that was typed, and reports errors. */
import { Command, CommanderError } from 'commander';
import { version } from '../app/version.ts';
import { auditCommand } from './admin/audit.ts';
import { batchesCommands } from './admin/batches.ts';
import { grantCommands } from './admin/grants.ts';
import { inspectCommands } from './admin/inspect.ts';
import { installationCommands } from './admin/installation.ts';
import { keyCommands } from './admin/keys.ts';
import { ledgerCommands } from './admin/ledger.ts';
import { memberCommands } from './admin/members.ts';
import { operatorCommands } from './admin/operators.ts';
import { buildCommands, projectCommands } from './admin/projects.ts';
import { requestCommands } from './admin/requests.ts';
import { spaceCommands } from './admin/spaces.ts';
import { invoiceCommands, statementCommand } from './admin/statements.ts';
import { balanceCommand, usageCommand } from './admin/usage.ts';
import { whyCommand } from './admin/why.ts';
import { batchCommands } from './client/batch.ts';
import { buildLogsCommand } from './client/build-logs.ts';
import { jobCommands } from './client/jobs.ts';
import { loginCommand, logoutCommand } from './client/login.ts';
import { logsCommand } from './client/logs.ts';
import { mediaCommands } from './client/media.ts';
import { referenceCommands } from './client/references.ts';
import { videoCommand } from './client/video.ts';
import type { CliCommand } from './command.ts';
import { configCommands } from './serve/config.ts';
import { doctorCommand } from './serve/doctor.ts';
import { initCommand } from './serve/init.ts';
import { modelsCommand } from './serve/models.ts';
import { serveCommand } from './serve/serve.ts';
import { statusCommand } from './serve/status.ts';

/** All commands, by what they need, in the order of the help. */
const COMMANDS: Readonly<Record<string, readonly CliCommand[]>> = {
  'Run a gateway:': [initCommand, serveCommand, statusCommand, doctorCommand, configCommands, modelsCommand],
  'Administer it (signed in, or with the data folder or DATABASE_URL):': [
    spaceCommands,
    memberCommands,
    keyCommands,
    grantCommands,
    usageCommand,
    balanceCommand,
    statementCommand,
    invoiceCommands,
    requestCommands,
    inspectCommands,
    ledgerCommands,
    batchesCommands,
    whyCommand,
    auditCommand,
    operatorCommands,
    projectCommands,
    buildCommands,
    installationCommands,
  ],
  'Call it (with a key in TOLLGATE_KEY):': [
    batchCommands,
    videoCommand,
    jobCommands,
    referenceCommands,
    mediaCommands,
  ],
  'Read logs (signed in as a person):': [loginCommand, logoutCommand, logsCommand, buildLogsCommand],
};

/**
 * Errors whose message is written for a person. Listed by name, because importing the classes would load most of
 * the product, and a command should start fast.
 */
const FOR_PEOPLE = [
  'Problem',
  'SettingsError',
  'ConfigError',
  'ConsoleError',
  'ClusterError',
  'DatabaseRefused',
  'DatabaseUnavailable',
];

/** Exit codes: 0 success, 1 failure, 2 wrong usage. */
const FAILED = 1;
const MISUSED = 2;

export async function main(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', endWithReader);
  // A server that crashes has a bug, and should print the whole error.
  if (!argv.includes('serve')) process.on('uncaughtException', (error) => endWith(error, argv));
  const program = buildProgram();
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = report(error, { verbose: program.opts<{ verbose?: boolean }>().verbose ?? false });
  }
}

export function buildProgram(): Command {
  const program = new Command('tollgate')
    .description('A multi-tenant model gateway that meters every call exactly and charges it in units.')
    .version(version)
    .option('--data <folder>', 'the data folder of the installation (TOLLGATE_DATA, ./data)')
    .option('--url <url>', 'the server to administer as the signed-in person (TOLLGATE_URL)')
    .option('--config <file>', 'the configuration file (TOLLGATE_CONFIG, ./tollgate.yaml)')
    .option('--json', 'print JSON')
    .option('--verbose', 'show the stack of an unexpected error')
    .showHelpAfterError('Run the command with --help to see its usage.')
    .configureHelp({ showGlobalOptions: true })
    .commandsGroup('Help:')
    .exitOverride();
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    for (const command of commands) command.addTo(program).helpGroup(heading);
  }
  for (const command of allCommands(program)) command.copyInheritedSettings(program);
  return program;
}

function allCommands(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...allCommands(child)]);
}

/** The reader of a pipe may stop early: `tollgate audit | head -3` is not a failure. */
function endWithReader(error: Error & { code?: string }): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}

/** An error that no command waited for. */
function endWith(error: Error, argv: readonly string[]): void {
  process.exit(report(error, { verbose: argv.includes('--verbose') }));
}

/** Unexpected errors are one sentence too; --verbose shows their stack. */
function report(error: unknown, { verbose }: { verbose: boolean }): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const text = FOR_PEOPLE.includes(name) ? message : (fileError(error) ?? unexpected(message, verbose));
  process.stderr.write(`tollgate: ${text}\n`);
  if (verbose) process.stderr.write(`${stack}\n`);
  return FAILED;
}

function unexpected(message: string, verbose: boolean): string {
  const hint = verbose ? '' : ' Run it again with --verbose to see its stack.';
  return `An unexpected error occurred: ${message.split('\n')[0]}.${hint}`.replace('..', '.');
}

const FILE_ERRORS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `There is no file ${path}.`,
  EACCES: (path) => `${path} cannot be opened: permission denied.`,
  EPERM: (path) => `${path} cannot be opened: permission denied.`,
  EISDIR: (path) => `${path} is a folder; name a file.`,
  ENOTDIR: (path) => `${path} cannot be opened: a part of its path is not a folder.`,
  ENOSPC: (path) => `${path} cannot be written: the disk is full.`,
  EROFS: (path) => `${path} cannot be written: the disk is read-only.`,
};

/** The sentence for an error of the file system; null for any other error. */
function fileError(error: unknown): string | null {
  const { code, path } = error as { code?: string; path?: string };
  return path === undefined ? null : (FILE_ERRORS[code ?? '']?.(path) ?? null);
}
