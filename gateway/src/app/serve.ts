/** Runs a server: finds its settings, opens everything, listens, and stops it all on a signal. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createFirstOperatorLink } from '../access/first-operator.ts';
import type { Database } from '../database/database.ts';
import {
  type DemoKeys,
  type DemoSignIn,
  ensureDemoPerson,
  ensureDemoSpace,
  isUnusedDatabase,
} from '../demo/demo.ts';
import { pastStart } from '../demo/demo-event.ts';
import { DemoLogs, ensureDemoBuilds } from '../demo/demo-logs.ts';
import { Redactor } from '../kernel/redactor.ts';
import { type Clock, pause, systemClock } from '../kernel/time.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { maskedLog } from '../telemetry/masked-log.ts';
import type { ReadMetric } from '../telemetry/write-metrics.ts';
import type { Environment } from '../yaml/expand-text.ts';
import { AdminSocket } from './admin-socket.ts';
import { answerCall } from './answer-call.ts';
import { markDataFolder, wantsDemoData } from './demo-folder.ts';
import { type AppOptions, GatewayApp } from './gateway-app.ts';
import { type LogSettings, readLogSettings } from './log-settings.ts';
import { type OwnLog, startOwnLog } from './own-log.ts';
import type { ProcessFacts } from './processes/process-messages.ts';
import { readWholeConfig } from './read-config.ts';
import { secretsOf, shownAddress } from './secrets-of-settings.ts';
import type { ServerStatus } from './server-status.ts';
import { type Flags, findConfig, type Settings, SettingsError } from './settings.ts';
import { CLOSE_MS_MAX, type StopWay } from './stop-plan.ts';
import { readTraceSettings } from './trace-settings.ts';
import { version } from './version.ts';

export interface RunningServer {
  readonly db: Database;
  /** Deletes expired files and blobs, as happens every minute. */
  readonly sweepFiles: () => Promise<void>;
  /** Runs all sweeps, as happens every few minutes. */
  readonly sweepAll: () => Promise<void>;
  readonly status: () => ServerStatus;
  /** Only at the first start of a demo. */
  readonly demoKeys: DemoKeys | null;
  readonly demoSignIn: DemoSignIn | null;
  /** The code of a link for the first operator; null if there is an operator, or passwords are switched off. */
  readonly firstOperatorCode: () => Promise<string | null>;
  /** Resolves to whether the demo has all its data: false if the server was stopped before, and if it is no demo. */
  readonly demoFilled: Promise<boolean>;
  /** Null if its roles need no listener. */
  readonly port: number | null;
  /** For a supervisor. */
  readonly metrics: () => Promise<readonly ReadMetric[]>;
  /** In the demo: the wanted port, if it was already in use. */
  readonly takenPort: number | null;
  /** Reports an unhandled error as failed background work. */
  readonly reportUnhandled: (error: unknown) => void;
  stop(way?: StopWay): Promise<void>;
  /** Upper limit for the duration of a stop. */
  readonly stopMsMax: number;
}

const PORTS_TRIED = 20;
/** As in the demo's configuration. Distinctive, because keys are masked wherever they occur in logs. */
const DEMO_SIMULATOR_KEY = 'demo-simulator-key';
/** Long enough to watch the progress. */
const DEMO_VIDEO_MS = 6_000;
/** Long enough for a first call that does not wait for the data of the demo. */
const DEMO_DATA_AFTER_MS = 1_000;

type Stops = Array<(way: StopWay) => Promise<void>>;

export async function serve(
  flags: Flags,
  env: Environment,
  options: {
    say: (line: string) => void;
    log?: Log;
    clock?: Clock;
    wrapDatabase?: AppOptions['wrapDatabase'];
    /** Of a process that has a supervisor, which also has the operations port. */
    supervised?: ProcessFacts;
  },
): Promise<RunningServer> {
  const { clock = systemClock, wrapDatabase, supervised = null } = options;
  const { file, demo } = findConfig(flags, env);
  const simulator = demo && env.TOLLGATE_SIMULATOR_URL === undefined ? await startDemoSimulator() : null;
  const stops: Stops = simulator === null ? [] : [() => simulator.stop()];
  const stop = async (way: StopWay = 'now'): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one(way);
  };
  try {
    const fullEnv = simulator === null ? env : { ...env, TOLLGATE_SIMULATOR_URL: simulator.origin };
    const { settings } = readWholeConfig(flags, { env, fileEnv: fullEnv }, { file, demo });
    const logs = readLogSettings(env, settings.dataFolder);
    const traces = readTraceSettings(env);
    const own = openLog(options.log ?? consoleLog(settings, supervised), { settings, logs, supervised });
    const redactor = new Redactor();
    for (const secret of secretsOf(settings, fullEnv)) redactor.add(secret);
    for (const [, value] of traces?.headers ?? []) redactor.add(value);
    const log = maskedLog(own.log, (text) => redactor.redact(text));
    stops.push(() => own.stop());
    if (settings.proxies.shown !== null) log.info('requests go out through a proxy', settings.proxies.shown);
    const firstStart = settings.databaseUrl === null && !existsSync(join(settings.dataFolder, 'postgres'));
    if (firstStart)
      options.say(`Preparing the embedded database in ${settings.dataFolder} (first start only) …`);
    const app = await GatewayApp.open({
      settings,
      logs,
      traces,
      env: fullEnv,
      clock,
      log,
      redactor,
      ...(wrapDatabase && { wrapDatabase }),
    });
    // A demo has no load balancer that would need notice.
    stops.push((way) => app.stop(demo ? 'now' : way));
    const begins = demo && (await isUnusedDatabase(app.db));
    markDataFolder(settings.dataFolder, { demo, created: begins && settings.databaseUrl === null });
    const pastFrom = begins && wantsDemoData(env, settings.dataFolder) ? pastStart(clock.now()) : null;
    const demoKeys = demo ? await ensureDemoSpace(app.db, clock, { pastFrom }) : null;
    const demoSignIn = demo ? await ensureDemoPerson(app.db, clock) : null;
    if (demo && logs.source === 'files') await startDemoLogs(app, { settings, logs, clock }, stops);
    await app.start();
    const port = await listen(app, settings);
    if (supervised !== null) app.metrics.watchProcess();
    const metricsUrl = supervised === null ? await listenOps(app, settings, log) : supervised.metricsUrl;
    const pid = supervised === null ? process.pid : process.ppid;
    const status = (): ServerStatus => statusOf(app, settings, { port, metricsUrl, pid });
    const socket = new AdminSocket(settings.dataFolder, clock, (call) =>
      answerCall(app, call, { status, settings, clock }),
    );
    await socket.start();
    stops.push(() => socket.stop());
    const demoFilled = demo ? startDemoData(app, { log, clock }, stops) : Promise.resolve(false);
    log.info(port === null ? 'tollgate is running without a listener' : 'tollgate is listening', {
      version,
      port,
      roles: [...settings.roles],
      engine: app.db.engine,
      models: app.catalog.current.models.size,
    });
    return {
      db: app.db,
      sweepFiles: () => app.keeper.runOnce(),
      sweepAll: () => app.sweepAll(),
      reportUnhandled: (error) => app.background.run('unhandled', () => Promise.reject(error)),
      status,
      demoKeys,
      demoSignIn,
      demoFilled,
      firstOperatorCode: async () =>
        settings.signIn.password ? await createFirstOperatorLink({ db: app.db, clock }) : null,
      port,
      takenPort: port === null || port === settings.port || settings.port === 0 ? null : settings.port,
      metrics: () => app.metrics.read(),
      stop,
      stopMsMax: settings.limits.drainMs + CLOSE_MS_MAX,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startDemoLogs(
  app: GatewayApp,
  { settings, logs, clock }: { settings: Settings; logs: LogSettings; clock: Clock },
  stops: Stops,
): Promise<void> {
  const builds = await ensureDemoBuilds(app.db, clock, settings.dataFolder);
  const pods = new DemoLogs({ root: logs.root, clock });
  pods.start();
  stops.push(async () => {
    builds.stop();
    await pods.stop();
  });
}

/** Loaded only here, because no other server needs it, and after the first calls of a visitor. */
function startDemoData(
  app: GatewayApp,
  { log, clock }: { log: Log; clock: Clock },
  stops: Stops,
): Promise<boolean> {
  const stopped = new AbortController();
  const { db, blobs } = app;
  const started = pause(clock, DEMO_DATA_AFTER_MS, stopped.signal).then(async () => {
    if (stopped.signal.aborted) return null;
    const { DemoData } = await import('../demo/demo-data.ts');
    const catalog = () => app.catalog.current;
    const data = new DemoData({ db, blobs, catalog, log, clock, onChange: () => app.syncAccess() });
    data.start();
    return data;
  });
  stops.push(async () => {
    stopped.abort();
    await (await started)?.stop();
  });
  return started.then((data) => data?.done ?? false);
}

/** The lines of several processes are mixed, so each has the process that wrote it. */
function consoleLog({ logLevel: level }: Settings, supervised: ProcessFacts | null): Log {
  return createLog({ level, ...(supervised !== null && { fields: { pid: process.pid } }) });
}

function openLog(
  log: Log,
  of: { settings: Settings; logs: LogSettings; supervised: ProcessFacts | null },
): OwnLog {
  const { own, root } = of.logs;
  if (!own) return { log, stop: () => Promise.resolve() };
  const { dataFolder, logLevel: level } = of.settings;
  const processNumber = of.supervised?.number ?? null;
  return startOwnLog(log, { root, dataFolder, level, clock: systemClock, processNumber });
}

async function startDemoSimulator(): Promise<{ origin: string; stop(): Promise<void> }> {
  const { startSimulator } = await import('../../simulator/simulator.ts');
  return await startSimulator({ apiKey: DEMO_SIMULATOR_KEY, videoMs: DEMO_VIDEO_MS });
}

/** Port 8080 is often in use: the demo tries the next ones, a configured server stops with an error. */
async function listen(app: GatewayApp, settings: Settings): Promise<number | null> {
  const { host, port, demo } = settings;
  for (let tried = 0; ; tried++) {
    try {
      return await app.listen({ host, port: port === 0 ? 0 : port + tried });
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'EADDRINUSE' && demo && port !== 0 && tried < PORTS_TRIED) continue;
      if (code === 'EADDRINUSE') {
        throw new SettingsError(
          `Port ${port} on ${host} is in use by another program. Choose another with PORT=… or --port.`,
        );
      }
      if (code === 'EACCES')
        throw new SettingsError(`Port ${port} needs privileges this process does not have.`);
      throw error;
    }
  }
}

/** The address of the metrics; null if the port is in use: then the server runs without them. */
async function listenOps(app: GatewayApp, settings: Settings, log: Log): Promise<string | null> {
  try {
    const port = await app.listenOps({ host: settings.opsHost, port: settings.opsPort });
    return `http://localhost:${port}/metrics`;
  } catch (error) {
    log.warn('metrics are not served: the operations port cannot be opened', {
      port: settings.opsPort,
      error,
    });
    return null;
  }
}

function statusOf(
  app: GatewayApp,
  settings: Settings,
  at: { port: number | null; metricsUrl: string | null; pid: number },
): ServerStatus {
  const { current } = app.catalog;
  const host = settings.host === '127.0.0.1' ? 'localhost' : settings.host;
  // A process without a listener names the port at which others of the installation listen.
  const baseUrl = `http://${host}:${at.port ?? settings.port}`;
  return {
    state: 'running',
    version,
    demo: settings.demo,
    baseUrl,
    consoleUrl: `${settings.publicUrl ?? baseUrl}/console`,
    metricsUrl: at.metricsUrl,
    engine: app.db.engine,
    redis: settings.redisUrl === null ? null : shownAddress(settings.redisUrl),
    dataFolder: settings.dataFolder,
    configFile: settings.configFile,
    providers: current.providers.map(({ name, simulated }) => ({ name, simulated })),
    models: [...current.models.keys()],
    pid: at.pid,
  };
}
