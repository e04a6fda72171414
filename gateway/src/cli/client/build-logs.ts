/** `builds logs`: the log of a build. */
import { argument, command, flag, flagOn } from '../command.ts';
import { AnswerError } from './answer-error.ts';
import { type SignedInAt, signedInAt } from './session-url.ts';
import { watch } from './watch.ts';
import { endWithPipe, writeOut } from './write-log.ts';

export const buildLogsCommand = command({
  name: 'logs',
  help: 'show the log of a build, as the person signed in with "login"',
  examples: ['tollgate builds logs bld_01j9x8w7v6t5s4r3q2p1n0m9k8 --wait'],
  arguments: { id: argument('<id>', 'the id of the build') },
  options: {
    wait: flag('wait for a build that is still running'),
    numbers: flagOn('leave out the line numbers'),
  },
  async run({ id, wait, numbers }, flags) {
    const server = await signedInAt(flags);
    const path = `/api/builds/${encodeURIComponent(id)}/logs${numbers ? '' : '?numbers=false'}`;
    endWithPipe();
    const log = await watch({
      poll: () => askFor(path, server),
      isOver: ({ isRunning }) => !isRunning || !wait,
      line: ({ isRunning }) =>
        isRunning && wait ? 'tollgate: the build is still running; waiting for it …' : null,
      onLeave: `The build keeps running. Wait for it again with: tollgate builds logs ${id} --wait`,
    });
    if (log.reply.body === null || !log.reply.ok) {
      const hint = log.isRunning ? ' Wait for it with --wait.' : '';
      const detail = log.detail ?? `${server.url} answered ${log.reply.status}.`;
      throw new AnswerError(`${detail}${hint}`, { status: log.reply.status, code: log.code });
    }
    for await (const piece of log.reply.body.pipeThrough(new TextDecoderStream())) await writeOut(piece);
  },
});

interface LogReply {
  readonly reply: Response;
  readonly isRunning: boolean;
  readonly detail: string | null;
  readonly code: string;
}

async function askFor(path: string, { url, headers }: SignedInAt): Promise<LogReply> {
  const reply = await fetch(new URL(path, url), { headers, redirect: 'error' }).catch(() => {
    throw new AnswerError(`No server answers at ${url}. Start it, or set its address with --url.`);
  });
  if (reply.ok) return { reply, isRunning: false, detail: null, code: '' };
  const { type, detail } = (await reply.json().catch(() => ({}))) as { type?: string; detail?: string };
  return {
    reply,
    isRunning: type === 'build_logs_unavailable',
    detail: detail ?? null,
    code: type ?? 'failed',
  };
}
