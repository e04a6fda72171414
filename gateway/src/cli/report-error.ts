/** Reports an error as people and programs expect it: a sentence, or JSON with --json, and an exit code. */
import { styleText } from 'node:util';
import { CommanderError } from 'commander';

/** 0 is success. */
export const exitCodes = { failed: 1, wrongUsage: 2, changes: 2 } as const;

/**
 * Errors whose message is written for a person. Listed by name, because importing the classes would load most of
 * the product, and a command should start fast.
 */
const FOR_PEOPLE = [
  'Problem',
  'AnswerError',
  'UsageError',
  'SettingsError',
  'ConfigError',
  'ClusterError',
  'DatabaseRefused',
  'DatabaseUnavailable',
  'BlobsUnavailable',
  'BackupError',
];

export interface ReportOptions {
  readonly verbose: boolean;
  readonly json: boolean;
  /** The exit code for wrong usage. */
  readonly wrongUsage: number;
}

/** As the command line prints it with --json. */
interface ShownError {
  /** The code of the server, or else one of the command line's own. */
  readonly code: string;
  readonly message: string;
  /** The field that the server names; null: none. */
  readonly param: string | null;
  /** Identifies the answer in the logs of the server; null: it was not asked over HTTP. */
  readonly error_ref: string | null;
}

/** Prints the error and returns the exit code. Unexpected errors are one sentence too; --verbose shows their stack. */
export function reportError(error: unknown, { verbose, json, wrongUsage }: ReportOptions): number {
  // Help and the version arrive as errors too. What is wrong with the usage was already printed, but not as JSON.
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    if (json) printError({ ...shownError(error, verbose), message: usageMessage(error) });
    return wrongUsage;
  }
  const shown = shownError(error, verbose);
  if (json) printError(shown);
  else process.stderr.write(`${label()} ${shown.message}${referenceOf(shown)}\n`);
  if (verbose && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return shown.code === 'wrong_usage' ? wrongUsage : exitCodes.failed;
}

/** The name of the program before an error, in red on a terminal. */
export function label(): string {
  return styleText('red', 'tollgate:', { stream: process.stderr });
}

function shownError(error: unknown, verbose: boolean): ShownError {
  const known = error instanceof Error ? error : new Error(String(error));
  const { name, message } = known;
  const { code, param = null, errorRef = null } = known as Partial<AnsweredError>;
  const facts = { param, error_ref: errorRef };
  if (error instanceof CommanderError || name === 'UsageError')
    return { code: 'wrong_usage', message, ...facts };
  if (FOR_PEOPLE.includes(name)) return { code: code ?? 'failed', message, ...facts };
  const file = fileError(error);
  if (file !== null) return { code: 'failed', message: file, ...facts };
  return { code: 'unexpected_error', message: unexpected(message, verbose), param: null, error_ref: null };
}

/** What a Problem and an AnswerError have. */
interface AnsweredError {
  readonly code: string;
  readonly param: string | null;
  readonly errorRef: string | null;
}

function printError(error: ShownError): void {
  process.stderr.write(`${JSON.stringify({ error })}\n`);
}

/** Only where it helps: an operator can look up an error of the server itself. */
function referenceOf({ code, error_ref }: ShownError): string {
  return code === 'internal_error' && error_ref !== null ? ` (${error_ref})` : '';
}

function usageMessage({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is missing. Run it with --help to see which there are.';
  return message.replace(/^error: /, '');
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
