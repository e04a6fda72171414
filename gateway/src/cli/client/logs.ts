/** `logs`: the runtime logs of a project. */
import { LogFollower } from '../../client/log-follower.ts';
import type { LogUpdate } from '../../client/log-updates.ts';
import { RECONNECT_ATTEMPTS_MAX } from '../../client/reconnect.ts';
import { systemClock } from '../../kernel/time.ts';
import { argument, command, flag, option } from '../command.ts';
import { durationIn } from '../duration.ts';
import { UsageError } from '../usage-error.ts';
import { oneOf } from '../words.ts';
import { AnswerError } from './answer-error.ts';
import { signedInAt } from './session-url.ts';
import { endWithPipe, type LogForm, writeLogLine, writeOut } from './write-log.ts';

const FORMS = ['pretty', 'json', 'raw'] as const;

export const logsCommand = command({
  name: 'logs',
  help: 'show the logs of a project, as the person signed in with "login"',
  examples: ['tollgate logs shop --tail 100', 'tollgate logs shop -f --since 10m --grep error'],
  arguments: { project: argument('<project>', 'the id of the project') },
  options: {
    follow: flag('keep printing new lines; reconnects if the connection is interrupted', { short: 'f' }),
    tail: option('<lines>', 'start with this many past lines, of all pods together', { read: lineCount }),
    since: option('<duration>', 'only lines newer than this, such as 30s, 10m, 2h or 1d', {
      read: durationIn('s'),
    }),
    pod: option('<name>', 'only this pod'),
    container: option('<name>', 'only containers with this name', { short: 'c' }),
    output: option('<form>', 'pretty, json or raw', { short: 'o', read: oneOf(FORMS), default: 'pretty' }),
    grep: option('<pattern>', 'only lines that match this regular expression', { read: pattern }),
  },
  async run({ project, follow, tail, since, pod, container, output, grep }, flags) {
    endWithPipe();
    const follower = new LogFollower({
      ...(await signedInAt(flags)),
      ...(tail !== undefined && { tailLines: tail }),
      ...(since !== undefined && { sinceSeconds: since }),
      ...(pod !== undefined && { podName: pod }),
      ...(container !== undefined && { container }),
      project,
      follow,
      ids: true,
      fetch,
      clock: systemClock,
    });
    await printLogs(follower, output, grep ?? null);
  },
});

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
    if (update.state === 'failed') throw new AnswerError(update.message ?? 'The logs cannot be read.');
  }
}

/** What a person who watches should know; on standard error, so that standard output has only log lines. */
function noteOf(update: LogUpdate & { kind: 'state' | 'event' }): string | null {
  if (update.kind === 'event') {
    const { event, podName, reason } = update.event;
    return event === 'gap'
      ? `lines of ${podName ?? 'a pod'} may be missing here: ${reason ?? 'unknown'}`
      : null;
  }
  if (update.delayMs === null) return null;
  const message = (update.message ?? 'The connection was cut').replace(/\.?$/, '.');
  return `${message} Coming back in ${update.delayMs / 1000} s (${update.attempt}/${RECONNECT_ATTEMPTS_MAX}).`;
}

function pattern(text: string, label: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new UsageError(`${label} is not a regular expression: ${(error as Error).message}`);
  }
}

function lineCount(text: string, label: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`${label} ${JSON.stringify(text)} is not valid: it must be a whole number.`);
}
