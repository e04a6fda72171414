/** `build-logs`: the log of a build. */
import type { Command } from 'commander';
import { pause, systemClock } from '../kernel/time.ts';
import { type CommonFlags, flagsOf } from './administer.ts';
import { ConsoleError } from './console-client.ts';
import { signedInAt } from './session-url.ts';
import { endWithPipe, writeOut } from './write-log.ts';

interface BuildLogFlags extends CommonFlags {
  readonly url?: string;
  readonly wait?: boolean;
  readonly numbers: boolean;
}

const LOOK_MS = 2_000;

export function addBuildLogCommand(program: Command): void {
  program
    .command('build-logs <id>')
    .description('show the log of a build, as the person signed in with "login"')
    .option('--wait', 'wait for a build that is still running')
    .option('--no-numbers', 'leave out the numbers of the lines')
    .option('--url <url>', 'the server (TOLLGATE_URL; default: the one you are signed in to)')
    .action(async (id: string, _: unknown, command: Command) => {
      const flags = flagsOf<BuildLogFlags>(command);
      const { url, headers } = await signedInAt(flags);
      const path = `/api/builds/${encodeURIComponent(id)}/logs${flags.numbers ? '' : '?numbers=false'}`;
      endWithPipe();
      for (let told = false; ; told = true) {
        const reply = await fetch(new URL(path, url), { headers, redirect: 'error' }).catch(() => {
          throw new ConsoleError(
            `Nothing answers at ${url}. Start the server, or say where it is with --url.`,
            null,
          );
        });
        if (reply.ok && reply.body !== null) {
          for await (const piece of reply.body.pipeThrough(new TextDecoderStream())) await writeOut(piece);
          return;
        }
        const { type, detail } = (await reply.json().catch(() => ({}))) as { type?: string; detail?: string };
        if (type !== 'build_logs_unavailable' || !flags.wait) {
          const hint = type === 'build_logs_unavailable' ? ' Wait for it with --wait.' : '';
          throw new ConsoleError(`${detail ?? `${url} answered ${reply.status}.`}${hint}`, reply.status);
        }
        if (!told) process.stderr.write('tollgate: the build is still running; waiting for it …\n');
        await pause(systemClock, LOOK_MS);
      }
    });
}
