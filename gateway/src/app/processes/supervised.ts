/** A process of a supervisor: reports to it, and stops when it says so or when it is gone. */
import cluster from 'node:cluster';
import { systemClock } from '../../kernel/time.ts';
import type { ReadMetric } from '../../telemetry/write-metrics.ts';
import type { StopWay } from '../stop-plan.ts';
import { FACTS_VARIABLE, type FromProcess, type ProcessFacts, type ToProcess } from './process-messages.ts';

export interface SupervisedServer {
  readonly port: number | null;
  readonly stopMsMax: number;
  readonly metrics: () => Promise<readonly ReadMetric[]>;
  stop(way: StopWay): Promise<void>;
}

/** Whether this process was started by a supervisor. */
export function isSupervised(): boolean {
  return cluster.isWorker;
}

export class SupervisedProcess {
  readonly facts: ProcessFacts;
  #server: SupervisedServer | null = null;
  #stopping = false;

  constructor() {
    this.facts = JSON.parse(process.env[FACTS_VARIABLE] ?? '{}') as ProcessFacts;
    process.on('message', (message: ToProcess) => {
      if (message.type === 'stop') this.#stop(message.way);
      else this.#sendMetrics(() => undefined);
    });
    // Signals to a whole group or service reach the supervisor too, which decides how its processes stop.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
    cluster.worker?.once('disconnect', () => {
      // Otherwise Node ends a process without its supervisor at once, and calls under way would be lost.
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
      this.#stop('now');
    });
  }

  ready(server: SupervisedServer): void {
    this.#server = server;
    this.#send({ type: 'ready', port: server.port, stopMsMax: server.stopMsMax }, () => undefined);
  }

  /** Ends this process; the supervisor reports the error. */
  failed(error: unknown): void {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    this.#send({ type: 'failed', name, message }, () => process.exit(1));
  }

  #stop(way: StopWay): void {
    if (this.#stopping) return;
    this.#stopping = true;
    // Nothing has been accepted yet.
    if (this.#server === null) process.exit(0);
    const { stop, stopMsMax } = this.#server;
    systemClock.after(stopMsMax, () => fail(`it took longer than ${stopMsMax} ms`));
    stop(way).then(
      () => this.#sendMetrics(() => process.exit(0)),
      (error: unknown) => fail((error as Error).message),
    );
  }

  #sendMetrics(then: () => void): void {
    const reading = this.#server?.metrics() ?? Promise.resolve([]);
    reading.then(
      (metrics) => this.#send({ type: 'metrics', metrics }, then),
      () => then(),
    );
  }

  #send(message: FromProcess, then: () => void): void {
    if (process.send === undefined || !process.connected) then();
    else process.send(message, undefined, undefined, () => then());
  }
}

function fail(why: string): void {
  process.stderr.write(`tollgate: process ${process.pid} could not stop cleanly: ${why}\n`);
  process.exit(1);
}
