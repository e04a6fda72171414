/** `serve`: runs the gateway until a signal stops it. */
import type { RunningServer } from '../../app/serve.ts';
import { systemClock } from '../../kernel/time.ts';
import { command, option } from '../command.ts';
import { welcomeText } from './welcome.ts';

export const serveCommand = command({
  name: 'serve',
  help: 'run the gateway; without a tollgate.yaml it runs as a demo that only this machine can reach',
  examples: ['tollgate serve', 'tollgate serve --config tollgate.yaml --port 8080'],
  options: {
    port: option('<port>', 'the port to listen on (PORT, 8080)'),
    host: option('<host>', 'the address to listen on (HOST, 127.0.0.1)'),
  },
  async run(_, flags) {
    // The server's code is large; other commands do not wait for it to load.
    const { loadEnvFiles } = await import('../../app/env-files.ts');
    const { serve } = await import('../../app/serve.ts');
    loadEnvFiles(flags);
    const say = (line: string): void => void process.stdout.write(`${line}\n`);
    const server = await serve(flags, process.env, { say });
    stopOnSignals(server);
    // A bug in one call is no reason to end all others; see docs/decisions/0022.
    process.on('unhandledRejection', server.reportUnhandled);
    const status = server.status();
    if (server.takenPort !== null) {
      const { port } = new URL(status.baseUrl);
      say(`Port ${server.takenPort} is in use by another program, so this server listens on ${port}.`);
    }
    if (!status.demo) return;
    const keys = server.demoKeys;
    process.stdout.write(
      welcomeText(status, {
        gateway: keys?.gateway ?? SHOWN_BEFORE,
        management: keys?.management ?? SHOWN_BEFORE,
        shown: keys !== null,
        signIn: server.demoSignIn,
      }),
    );
    say('Stop with Ctrl-C.');
  },
});

const SHOWN_BEFORE = '(was shown at the first start)';

/**
 * The first signal drains; a second one ends the process at once. SIGTERM comes from a supervisor, and the load
 * balancer in front needs time to notice; Ctrl-C comes from a person, who waits.
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
