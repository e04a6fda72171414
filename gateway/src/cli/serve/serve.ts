/** `serve`: runs the gateway until a signal stops it, in one process or in several with a supervisor. */
import type { RunningServer } from '../../app/serve.ts';
import type { Flags } from '../../app/settings.ts';
import type { StopWay } from '../../app/stop-plan.ts';
import { systemClock } from '../../kernel/time.ts';
import { command, option } from '../command.ts';
import { type Shown, welcomeText } from './welcome.ts';

export const serveCommand = command({
  name: 'serve',
  help: 'run the gateway; without a tollgate.yaml it runs as a demo that only this machine can reach',
  examples: [
    'tollgate serve',
    'tollgate serve --config tollgate.yaml --port 8080',
    'tollgate serve --processes auto',
    'tollgate serve --role worker',
  ],
  options: {
    port: option('<port>', 'the port to listen on (PORT, 8080)'),
    host: option('<host>', 'the address to listen on (HOST, 127.0.0.1)'),
    processes: option(
      '<number>',
      'how many processes share the port; auto: one per core. Needs PostgreSQL (1)',
    ),
    role: option('<roles>', 'what the process does: some of http, worker, logs, separated by commas (all)'),
  },
  async run({ processes }, flags) {
    const { isSupervised } = await import('../../app/processes/supervised.ts');
    if (isSupervised()) return await runSupervised(flags);
    const { readProcessCount } = await import('../../app/processes/process-count.ts');
    const count = readProcessCount(processes);
    if (count > 1) await runSupervisor(flags, count);
    else await runServer(flags);
  },
});

async function runServer(flags: Flags): Promise<void> {
  // The server's code is large; other commands do not wait for it to load.
  const { serve } = await import('../../app/serve.ts');
  const { loadEnvFiles } = await import('../../app/env-files.ts');
  loadEnvFiles(flags);
  const server = await serve(flags, process.env, { say });
  stopOnSignals(server);
  keepAfterBugs(server);
  if (server.takenPort !== null) {
    const { port } = new URL(server.status().baseUrl);
    say(`Port ${server.takenPort} is in use by another program, so this server listens on ${port}.`);
  }
  await welcome(server);
}

/** What a person at a terminal reads first: in the demo, and while an installation has no operator. */
async function welcome(server: RunningServer): Promise<void> {
  const status = server.status();
  const shown = status.demo ? shownOfDemo(server) : await shownToFirstOperator(server);
  if (shown === null) return;
  process.stdout.write(welcomeText(status, shown));
  say('Stop with Ctrl-C.');
}

function shownOfDemo({ demoKeys: keys, demoSignIn: signIn }: RunningServer): Shown {
  return {
    gateway: keys?.gateway ?? SHOWN_BEFORE,
    management: keys?.management ?? SHOWN_BEFORE,
    keysShown: keys !== null,
    link: signIn === null ? null : { label: 'Sign-in link', code: signIn.code },
    notes: [
      keys === null
        ? '"npx tollgate keys create NAME" creates a key; export it as TOLLGATE_KEY for the call below.'
        : 'The keys are shown only now; "npx tollgate keys create NAME" creates another.',
      ...(signIn === null
        ? []
        : [
            `The link works once, for ${signIn.minutes} minutes; "npx tollgate members link ${signIn.email}" creates another.`,
          ]),
    ],
  };
}

/** Only on a terminal: anywhere else the link would be kept in a file. Null if there is an operator. */
async function shownToFirstOperator(server: RunningServer): Promise<Shown | null> {
  if (!process.stdout.isTTY) return null;
  // The server runs all the same; "tollgate operators add" is the other way.
  const code = await server.firstOperatorCode().catch(() => null);
  if (code === null) return null;
  const { FIRST_OPERATOR_MINUTES } = await import('../../access/first-operator.ts');
  return {
    gateway: null,
    management: null,
    keysShown: false,
    link: { label: 'First operator', code },
    notes: [
      `There is no operator yet. Open the link to become one: it works once, for ${FIRST_OPERATOR_MINUTES} minutes.`,
      'Then create a space, give it units and create a key: in the console, or with "npx tollgate spaces create NAME", "npx tollgate grants add 100" and "npx tollgate keys create NAME". Export the key as TOLLGATE_KEY for the call below.',
    ],
  };
}

async function runSupervised(flags: Flags): Promise<void> {
  const { SupervisedProcess } = await import('../../app/processes/supervised.ts');
  const supervised = new SupervisedProcess();
  try {
    const { serve } = await import('../../app/serve.ts');
    const { loadEnvFiles } = await import('../../app/env-files.ts');
    loadEnvFiles(flags);
    const server = await serve(flags, process.env, { say, supervised: supervised.facts });
    keepAfterBugs(server);
    supervised.ready(server);
    if (supervised.facts.number === 1) await welcome(server);
  } catch (error) {
    supervised.failed(error);
  }
}

async function runSupervisor(flags: Flags, count: number): Promise<void> {
  const { supervise } = await import('../../app/processes/supervise.ts');
  const { loadEnvFiles } = await import('../../app/env-files.ts');
  // Not into the environment that processes inherit: one that is started later reads the files again.
  const env = { ...process.env };
  loadEnvFiles(flags, env);
  const supervisor = await supervise(flags, env, count);
  let stopping = false;
  // A second signal, or a stop that takes too long. Without a stop, processes finish their calls by themselves.
  process.once('exit', () => stopping && supervisor.killAll());
  process.on('SIGHUP', () => supervisor.restart());
  stopOnSignals({
    stopMsMax: supervisor.stopMsMax,
    async stop(way) {
      stopping = true;
      if (!(await supervisor.stop(way))) throw new Error('a process did not stop cleanly');
    },
  });
  try {
    await supervisor.started;
  } catch (error) {
    await supervisor.stop('now');
    throw error;
  }
}

/** A bug in one call is no reason to end all others; see docs/decisions/0022. */
function keepAfterBugs({ reportUnhandled }: RunningServer): void {
  process.on('unhandledRejection', reportUnhandled);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const SHOWN_BEFORE = '(was shown at the first start)';

/**
 * The first signal drains; a second one ends the process at once. SIGTERM comes from a supervisor, and the load
 * balancer in front needs time to notice; Ctrl-C comes from a person, who waits.
 */
function stopOnSignals({ stop, stopMsMax }: { stop(way: StopWay): Promise<void>; stopMsMax: number }): void {
  let stopping = false;
  const fail = (why: string): void => {
    process.stderr.write(`tollgate: could not stop cleanly: ${why}\n`);
    process.exit(1);
  };
  const onSignal = (way: StopWay): void => {
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
