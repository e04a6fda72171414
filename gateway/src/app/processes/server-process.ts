/** One process of a supervisor, as the supervisor sees it. */
import cluster, { type Worker } from 'node:cluster';
import type { Clock } from '../../kernel/time.ts';
import type { ReadMetric } from '../../telemetry/write-metrics.ts';
import type { StopWay } from '../stop-plan.ts';
import { FACTS_VARIABLE, type FromProcess, type ProcessFacts, type ToProcess } from './process-messages.ts';

export type ProcessState = 'starting' | 'ready' | 'stopping' | 'ended';

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** How long a process may take to send its metrics; then its last ones are used. */
const METRICS_MS_MAX = 2_000;
/** After the time that a process gives itself to stop. */
const KILL_AFTER_MS = 2_000;

export class ServerProcess {
  readonly number: number;
  /** Resolves to whether it became ready; false if it ended before. */
  readonly started: Promise<boolean>;
  readonly ended: Promise<ProcessEnd>;
  /** The last that it sent. */
  metrics: readonly ReadMetric[] = [];
  /** Why it could not start, as it said itself. */
  failure: Error | null = null;
  port: number | null = null;
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #onMetrics = new Set<() => void>();
  #state: ProcessState = 'starting';
  #readyAtMs: number | null = null;
  #stopMsMax = 0;

  constructor(facts: ProcessFacts, clock: Clock, onEnd: (ended: ServerProcess) => void) {
    this.number = facts.number;
    this.#clock = clock;
    this.#worker = cluster.fork({ [FACTS_VARIABLE]: JSON.stringify(facts) });
    const ready = Promise.withResolvers<void>();
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, signal: string | null): void => {
        this.#state = 'ended';
        onEnd(this);
        resolve({ code, signal });
      };
      this.#worker.once('exit', end);
      this.#worker.on('error', (error: Error) => {
        // Without a pid it was never started, for example at the system's limit of processes, and has no exit.
        if (this.#worker.process.pid !== undefined || this.#state === 'ended') return;
        this.failure = error;
        end(null, null);
      });
    });
    this.started = Promise.race([ready.promise.then(() => true), this.ended.then(() => false)]);
    this.#worker.on('message', (message: FromProcess) => this.#take(message, ready.resolve));
  }

  get pid(): number {
    return this.#worker.process.pid ?? 0;
  }

  get state(): ProcessState {
    return this.#state;
  }

  /** How long it has been ready. */
  get readyMs(): number {
    return this.#readyAtMs === null ? 0 : this.#clock.elapsedMs() - this.#readyAtMs;
  }

  /** Asks it to stop; resolves when it has ended. */
  async stop(way: StopWay): Promise<ProcessEnd> {
    if (this.#state !== 'ended') {
      this.#state = 'stopping';
      this.#send({ type: 'stop', way });
    }
    const cancel = this.#clock.after(this.#stopMsMax + KILL_AFTER_MS, () => this.kill());
    const end = await this.ended;
    cancel();
    return end;
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  /** Resolves when `metrics` are new, or when it takes too long. */
  readMetrics(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        this.#onMetrics.delete(done);
        resolve();
      };
      const cancel = this.#clock.after(METRICS_MS_MAX, done);
      this.#onMetrics.add(done);
      this.#send({ type: 'metrics' });
    });
  }

  #send(message: ToProcess): void {
    // It may end meanwhile, which is noticed by its exit.
    if (this.#worker.isConnected()) this.#worker.send(message, () => undefined);
  }

  #take(message: FromProcess, onReady: () => void): void {
    switch (message.type) {
      case 'ready':
        if (this.#state === 'starting') this.#state = 'ready';
        this.#readyAtMs = this.#clock.elapsedMs();
        this.port = message.port;
        this.#stopMsMax = message.stopMsMax;
        onReady();
        break;
      case 'failed':
        this.failure = Object.assign(new Error(message.message), { name: message.name });
        break;
      case 'metrics':
        this.metrics = message.metrics;
        for (const done of this.#onMetrics) done();
        break;
    }
  }
}
