/** `logs`: shows the runtime logs of a project and reconnects when the stream is interrupted. */
import type { Command } from 'commander';
import { SettingsError } from '../app/settings.ts';
import { LogFollower } from '../client/log-follower.ts';
import type { LogUpdate } from '../client/log-updates.ts';
import { RECONNECT_ATTEMPTS_MAX } from '../client/reconnect.ts';
import { systemClock } from '../kernel/time.ts';
import { type CommonFlags, flagsOf } from './administer.ts';
import { ConsoleError } from './console-client.ts';
import { signedInAt } from './session-url.ts';
import { endWithPipe, type LogForm, writeLogLine, writeOut } from './write-log.ts';

interface LogFlags extends CommonFlags {
  readonly url?: string;
  readonly follow?: boolean;
  readonly tail?: string;
  readonly since?: string;
  readonly pod?: string;
  readonly container?: string;
  readonly output: string;
  readonly grep?: string;
}

const FORMS: readonly string[] = ['pretty', 'json', 'raw'];
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

export function addLogCommands(program: Command): void {
  program
    .command('logs <project>')
    .description('show the logs of a project, as the person signed in with "login"')
    .option('-f, --follow', 'keep showing new lines, and reconnect if interrupted')
    .option('--tail <lines>', 'start with this many past lines, across all pods')
    .option('--since <age>', 'only lines newer than this, such as 30s, 10m, 2h or 1d')
    .option('--pod <name>', 'only this pod')
    .option('-c, --container <name>', 'only containers with this name')
    .option('-o, --output <form>', 'pretty, json or raw', 'pretty')
    .option('--grep <pattern>', 'only lines that match this regular expression')
    .option('--url <url>', 'the server (TOLLGATE_URL; default: the one you are signed in to)')
    .action(async (project: string, _: unknown, command: Command) => {
      const flags = flagsOf<LogFlags>(command);
      const form = formOf(flags.output);
      const pattern = patternOf(flags.grep);
      const wanted = {
        ...(flags.tail !== undefined && { tailLines: wholeNumber('--tail', flags.tail) }),
        ...(flags.since !== undefined && { sinceSeconds: seconds(flags.since) }),
        ...(flags.pod !== undefined && { podName: flags.pod }),
        ...(flags.container !== undefined && { container: flags.container }),
      };
      endWithPipe();
      const follower = new LogFollower({
        ...(await signedInAt(flags)),
        ...wanted,
        project,
        follow: flags.follow ?? false,
        ids: true,
        fetch,
        clock: systemClock,
      });
      await printLogs(follower, form, pattern);
    });
}

async function printLogs(follower: LogFollower, form: LogForm, pattern: RegExp | null): Promise<void> {
  const terminal = process.stdout.isTTY === true;
  for await (const update of follower.updates()) {
    if (update.kind === 'lines') {
      const lines = update.lines.filter(({ content }) => pattern === null || pattern.test(content));
      await writeOut(lines.map((line) => writeLogLine(line, form, { terminal })).join(''));
      continue;
    }
    const note = noteOf(update);
    if (note !== null) process.stderr.write(`tollgate: ${note}\n`);
    if (update.kind !== 'state') continue;
    if (update.state === 'ended') return;
    if (update.state === 'failed') throw new ConsoleError(update.message ?? 'The logs cannot be read.', null);
  }
}

/** Notes go to stderr, so that stdout contains only lines. */
function noteOf(update: LogUpdate & { kind: 'state' | 'event' }): string | null {
  if (update.kind === 'event') {
    const { event, podName, reason } = update.event;
    return event === 'gap'
      ? `lines of ${podName ?? 'a pod'} may be missing here: ${reason ?? 'unknown'}`
      : null;
  }
  if (update.delayMs === null) return null;
  const message = (update.message ?? 'The connection was interrupted').replace(/\.?$/, '.');
  return `${message} Reconnecting in ${update.delayMs / 1000} s (${update.attempt}/${RECONNECT_ATTEMPTS_MAX}).`;
}

function formOf(text: string): LogForm {
  if (FORMS.includes(text)) return text as LogForm;
  throw new SettingsError(`--output is ${JSON.stringify(text)}; it is one of ${FORMS.join(', ')}.`);
}

function patternOf(text: string | undefined): RegExp | null {
  if (text === undefined) return null;
  try {
    return new RegExp(text);
  } catch (error) {
    throw new SettingsError(`--grep is not a regular expression: ${(error as Error).message}`);
  }
}

function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SettingsError(`${flag} is ${JSON.stringify(text)}; it must be a whole number.`);
}

export function seconds(text: string): number {
  const match = /^(\d{1,9})([smhd]?)$/.exec(text);
  if (match !== null) return Number(match[1]) * (UNIT_SECONDS[match[2] || 's'] as number);
  throw new SettingsError(`--since is ${JSON.stringify(text)}; it is like 30s, 10m, 2h or 1d.`);
}
