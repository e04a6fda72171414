import type { Command } from 'commander';
import type { RunningServer } from '../app/serve.ts';
import { systemClock } from '../kernel/time.ts';
import { type CommonFlags, flagsOf } from './administer.ts';
import { welcomeText } from './welcome.ts';

interface ServeFlags extends CommonFlags {
  readonly port?: string;
  readonly host?: string;
}

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the gateway; without a tollgate.yaml, as a demo on this machine')
    .option('--port <port>', 'the port to listen on (PORT, 8080)')
    .option('--host <host>', 'the address to listen on (HOST, 127.0.0.1)')
    .action(async (_: unknown, command: Command) => {
      // The server's code is large; other commands do not wait for it to load.
      const { serve } = await import('../app/serve.ts');
      const flags = flagsOf<ServeFlags>(command);
      const say = (line: string): void => void process.stdout.write(`${line}\n`);
      const server = await serve(flags, process.env, { say });
      stopOnSignals(server);
      // A mistake in one call is no reason to end everybody's; see docs/decisions/0022.
      process.on('unhandledRejection', server.reportUnhandled);
      const status = server.status();
      if (server.takenPort !== null) {
        say(
          `Port ${server.takenPort} is in use by another program, so this is on ${new URL(status.baseUrl).port}.`,
        );
      }
      if (!status.demo) return;
      const keys = server.demoKeys;
      process.stdout.write(
        welcomeText(status, {
          gateway: keys?.gateway ?? 'made at the first start and shown then',
          management: keys?.management ?? 'made at the first start and shown then',
          shown: keys !== null,
          signIn: server.demoSignIn,
        }),
      );
      say('Stop with Ctrl-C.');
    });
}

/**
 * The first signal drains; a second one does not wait. SIGTERM comes from what supervises the process, behind a
 * load balancer that has to learn of it; Ctrl-C from a person, who waits.
 */
function stopOnSignals({ stop, stopMsMax }: Pick<RunningServer, 'stop' | 'stopMsMax'>): void {
  let stopping = false;
  const fail = (why: string): void => {
    process.stderr.write(`tollgate: could not stop cleanly: ${why}\n`);
    process.exit(1);
  };
  const onSignal = (way: 'now' | 'after notice'): void => {
    if (stopping) process.exit(1);
    stopping = true;
    systemClock.after(stopMsMax, () => fail(`it took longer than ${stopMsMax} ms`));
    stop(way).then(
      () => process.exit(0),
      (error: unknown) => fail((error as Error).message),
    );
  };
  process.on('SIGTERM', () => onSignal('after notice'));
  process.on('SIGINT', () => onSignal('now'));
}
