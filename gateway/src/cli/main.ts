/** The command line: puts the commands together, runs the one that was typed, and reports errors. */
import { styleText } from 'node:util';
import { Command } from 'commander';
import { version } from '../app/version.ts';
import type { StartCommand } from './command.ts';
import { type FoundCommand, findCommands } from './commands.ts';
import { globalOptions } from './global-options.ts';
import { exitCodes, label, type ReportOptions, reportError } from './report-error.ts';

export async function main(argv: readonly string[]): Promise<void> {
  const options = {
    verbose: argv.includes('--verbose'),
    json: argv.includes('--json'),
    // With it, 2 says that there are changes.
    wrongUsage: argv.includes('--exit-code') ? exitCodes.failed : exitCodes.wrongUsage,
  };
  process.stdout.on('error', endWithReader);
  // A server that crashes has a bug, and should print the whole error.
  if (!argv.includes('serve')) process.on('uncaughtException', (error) => endWith(error, options));
  try {
    const commands = await findCommands(argv[2]);
    await buildProgram(commands, (run) => run(), options).parseAsync([...argv]);
  } catch (error) {
    process.exitCode = reportError(error, options);
  }
}

/** `start` runs a command whose values were read. */
export function buildProgram(
  commands: readonly FoundCommand[],
  start: StartCommand,
  { json }: { json: boolean } = { json: false },
): Command {
  const program = new Command('tollgate')
    .description('A multi-tenant model gateway that meters every call exactly and charges it in units.')
    .version(version)
    .showHelpAfterError('Run the command with --help to see its usage.')
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (text) => styleText('bold', text),
    })
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error:/, label())),
      ...(json && { writeErr: () => undefined }),
    })
    .commandsGroup('Help:')
    .exitOverride();
  for (const [flags, help] of globalOptions) program.option(flags, help);
  for (const { command, heading } of commands) {
    const made = command.addTo(program, start);
    if (heading !== null) made.helpGroup(heading);
  }
  for (const command of below(program)) command.copyInheritedSettings(program);
  return program;
}

function below(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...below(child)]);
}

/** The reader of a pipe may stop early: `tollgate audit | head -3` is not a failure. */
function endWithReader(error: Error & { code?: string }): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}

/** An error that no command waited for. */
function endWith(error: Error, options: ReportOptions): void {
  process.exit(reportError(error, options));
}
