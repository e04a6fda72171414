/** `build-logs`: the log of a build. */
import { argument, command, flag, flagOn } from '../command.ts';
import { ConsoleError } from './console-client.ts';
import { type SignedInAt, sessionUrl, signedInAt } from './session-url.ts';
import { watch } from './watch.ts';
import { endWithPipe, writeOut } from './write-log.ts';

export const buildLogsCommand = command({
  name: 'build-logs',
  help: 'show the log of a build, as the person signed in with "login"',
  arguments: { id: argument('<id>', 'the id of the build') },
  options: {
    wait: flag('wait for a build that is still running'),
    numbers: flagOn('leave out the line numbers'),
    url: sessionUrl,
  },
  async run({ id, wait, numbers, url }, flags) {
    const server = await signedInAt(url, flags);
    const path = `/api/builds/${encodeURIComponent(id)}/logs${numbers ? '' : '?numbers=false'}`;
    endWithPipe();
    const log = await watch({
      poll: () => askFor(path, server),
      isOver: ({ isRunning }) => !isRunning || !wait,
      line: ({ isRunning }) =>
        isRunning && wait ? 'tollgate: the build is still running; waiting for it …' : null,
      onLeave: `The build keeps running. Wait for it again with: tollgate build-logs ${id} --wait`,
    });
    if (log.reply.body === null || !log.reply.ok) {
      const hint = log.isRunning ? ' Wait for it with --wait.' : '';
      const detail = log.detail ?? `${server.url} answered ${log.reply.status}.`;
      throw new ConsoleError(`${detail}${hint}`, log.reply.status);
    }
    for await (const piece of log.reply.body.pipeThrough(new TextDecoderStream())) await writeOut(piece);
  },
});

interface LogReply {
  readonly reply: Response;
  readonly isRunning: boolean;
  readonly detail: string | null;
}

async function askFor(path: string, { url, headers }: SignedInAt): Promise<LogReply> {
  const reply = await fetch(new URL(path, url), { headers, redirect: 'error' }).catch(() => {
    throw new ConsoleError(`No server answers at ${url}. Start it, or set its address with --url.`, null);
  });
  if (reply.ok) return { reply, isRunning: false, detail: null };
  const { type, detail } = (await reply.json().catch(() => ({}))) as { type?: string; detail?: string };
  return { reply, isRunning: type === 'build_logs_unavailable', detail: detail ?? null };
}
