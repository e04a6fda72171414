/** Runs a supervisor: reads its settings, opens the operations port, and starts the processes. */
import cluster from 'node:cluster';
import { OpsServer } from '../../http/ops-server.ts';
import { Redactor } from '../../kernel/redactor.ts';
import { systemClock as clock } from '../../kernel/time.ts';
import { createLog, type Log } from '../../telemetry/log.ts';
import { maskedLog } from '../../telemetry/masked-log.ts';
import type { Environment } from '../../yaml/expand-text.ts';
import { fileEnvironment, readWholeConfig } from '../read-config.ts';
import { secretsOf } from '../secrets-of-settings.ts';
import { type Flags, findConfig, type Settings } from '../settings.ts';
import { CLOSE_MS_MAX, type StopWay } from '../stop-plan.ts';
import { version } from '../version.ts';
import { checkProcessCount } from './process-count.ts';
import { Supervisor } from './supervisor.ts';

export interface RunningSupervisor {
  /** Replaces every process, one at a time. */
  restart(): void;
  /** Resolves to whether all processes stopped cleanly. */
  stop(way: StopWay): Promise<boolean>;
  /** Ends the processes at once. */
  killAll(): void;
  /** Resolves when the processes are ready; rejects if none could start. */
  readonly started: Promise<void>;
  readonly stopMsMax: number;
}

/** The processes give themselves this much less time. */
const MARGIN_MS = 3_000;

export async function supervise(flags: Flags, env: Environment, count: number): Promise<RunningSupervisor> {
  const found = findConfig(flags, env);
  const fileEnv = fileEnvironment(env, found.demo);
  const { settings } = readWholeConfig(flags, { env, fileEnv }, found);
  checkProcessCount(count, settings);
  const redactor = new Redactor();
  for (const secret of secretsOf(settings, env)) redactor.add(secret);
  const log = maskedLog(createLog({ level: settings.logLevel, fields: { pid: process.pid } }), (text) =>
    redactor.redact(text),
  );
  // The default everywhere but on Windows, and what NODE_CLUSTER_SCHED_POLICY could change.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  let metricsUrl: string | null = null;
  const supervisor = new Supervisor({
    processes: count,
    metricsUrl: () => metricsUrl,
    clock,
    log,
    onBroken: (error) => {
      log.error('the supervisor failed and ends', { error });
      process.exit(1);
    },
  });
  const ops = new OpsServer({
    metrics: (accept) => supervisor.metricsPage(accept),
    health: () => ({ version, roles: [...settings.roles], processes: supervisor.states() }),
    notReady: () => supervisor.notReady(),
  });
  const opsPort = await listenOps(ops, settings, log);
  if (opsPort !== null) metricsUrl = `http://localhost:${opsPort}/metrics`;
  const started = supervisor.start().then(() => {
    const { port } = supervisor;
    log.info('tollgate runs several processes', { version, processes: count, port, ops_port: opsPort });
  });
  return {
    started,
    restart: () => supervisor.restart(),
    killAll: () => supervisor.killAll(),
    async stop(way) {
      const clean = await supervisor.stop(way);
      await ops.stop();
      return clean;
    },
    stopMsMax: settings.limits.drainMs + CLOSE_MS_MAX + MARGIN_MS,
  };
}

/** If the port is in use, the processes run without metrics. */
async function listenOps(ops: OpsServer, settings: Settings, log: Log): Promise<number | null> {
  const { opsHost: host, opsPort: port } = settings;
  return await ops.listen({ host, port }).catch((error: unknown) => {
    log.warn('metrics are not served: the operations port cannot be opened', { port, error });
    return null;
  });
}
