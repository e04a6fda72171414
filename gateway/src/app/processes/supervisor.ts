/**
 * Keeps a number of processes running on one port: starts them, replaces those that crash, and restarts them one after
 * the other. node:cluster accepts the connections and gives them to the processes in turn, so that no connection is
 * lost while a process leaves (docs/decisions/0043-processes.md).
 */
import { type Clock, pause } from '../../kernel/time.ts';
import type { Log } from '../../telemetry/log.ts';
import { ProcessMetrics } from '../../telemetry/process-metrics.ts';
import type { MetricsPage, ReadMetric } from '../../telemetry/write-metrics.ts';
import type { StopWay } from '../stop-plan.ts';
import { RestartDelay } from './restart-delay.ts';
import { type ProcessEnd, ServerProcess } from './server-process.ts';

export interface SupervisorOptions {
  readonly processes: number;
  readonly metricsUrl: () => string | null;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with a bug of the supervisor itself. */
  readonly onBroken: (error: unknown) => void;
}

interface Slot {
  readonly number: number;
  readonly delay: RestartDelay;
  /** The process that has the slot; it may have ended. */
  current: ServerProcess;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #slots: Slot[] = [];
  /** Everything that has not ended, including processes that are being replaced. */
  readonly #live = new Set<ServerProcess>();
  readonly #metrics = new ProcessMetrics();
  readonly #stopped = new AbortController();
  readonly #started = Promise.withResolvers<void>();
  #crashes = 0;
  #restarting: Promise<void> | null = null;
  #restartAgain = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Resolves when every process is ready or has failed. If all failed, it throws the error of the first. */
  async start(): Promise<void> {
    for (let number = 1; number <= this.#options.processes; number++)
      this.#slots.push({ number, delay: new RestartDelay(), current: this.#fork(number) });
    const started = await Promise.all(this.#slots.map(({ current }) => current.started));
    if (this.#stopped.signal.aborted) return;
    if (!started.includes(true)) {
      const failures = this.#slots.map(({ current }) => current.failure);
      throw failures.find((failure) => failure !== null) ?? new Error('no process could be started');
    }
    for (const slot of this.#slots) this.#keepRunning(slot);
    this.#started.resolve();
  }

  /** The port of the processes; null if none is ready, or if they need none. */
  get port(): number | null {
    return this.#slots.find(({ current }) => current.port !== null)?.current.port ?? null;
  }

  /** For `/health`. */
  states(): Array<{ process: number; pid: number; state: string }> {
    return [...this.#live].map(({ number, pid, state }) => ({ process: number, pid, state }));
  }

  /** One process that is ready is enough: it answers on the port. */
  notReady(): string | null {
    if (this.#stopped.signal.aborted) return 'stopping';
    return [...this.#live].some(({ state }) => state === 'ready') ? null : 'no process is ready';
  }

  async metricsPage(accept: string): Promise<MetricsPage> {
    const asked = [...this.#live].filter(({ state }) => state !== 'starting');
    await Promise.all(asked.map((one) => Promise.race([one.readMetrics(), one.ended])));
    // One that ended meanwhile is already part of the sums.
    const readings = asked
      .filter((one) => this.#live.has(one))
      .map((one) => ({
        process: one.state === 'stopping' ? `${one.number}-stopping` : String(one.number),
        metrics: one.metrics,
      }));
    return await this.#metrics.page(readings, { own: this.#ownMetrics(), accept });
  }

  /** Replaces every process, one at a time. A request during the start or a restart is carried out after it. */
  restart(): void {
    this.#restartAgain = true;
    this.#restarting ??= this.#started.promise
      .then(() => this.#restartAll())
      .catch((error: unknown) => this.#options.onBroken(error))
      .finally(() => {
        this.#restarting = null;
      });
  }

  /** Resolves to whether all processes stopped cleanly. */
  async stop(way: StopWay): Promise<boolean> {
    this.#stopped.abort();
    const ends = await Promise.all([...this.#live].map((one) => one.stop(way)));
    return ends.every(({ code }) => code === 0);
  }

  killAll(): void {
    for (const one of this.#live) one.kill();
  }

  #fork(number: number): ServerProcess {
    const { metricsUrl, clock } = this.#options;
    const one = new ServerProcess({ number, metricsUrl: metricsUrl() }, clock, (ended) => {
      this.#live.delete(ended);
      this.#metrics.addEnded(ended.metrics);
    });
    this.#live.add(one);
    return one;
  }

  /** Starts the process of a slot again whenever it ends without being replaced. */
  #keepRunning(slot: Slot): void {
    const { current } = slot;
    const onEnd = async ({ code, signal }: ProcessEnd): Promise<void> => {
      if (this.#stopped.signal.aborted || slot.current !== current) return;
      const delayMs = slot.delay.after(current.readyMs);
      this.#crashes++;
      this.#options.log.error('a process ended unexpectedly and will be started again', {
        process: slot.number,
        pid: current.pid,
        code,
        signal,
        delay_ms: delayMs,
        reason: current.failure?.message ?? null,
      });
      await pause(this.#options.clock, delayMs, this.#stopped.signal);
      // A restart may have filled the slot meanwhile.
      if (this.#stopped.signal.aborted || slot.current !== current) return;
      slot.current = this.#fork(slot.number);
      this.#keepRunning(slot);
    };
    // A supervisor that cannot keep its processes running ends, and the processes with it.
    current.ended.then(onEnd).catch((error: unknown) => this.#options.onBroken(error));
  }

  async #restartAll(): Promise<void> {
    const { log } = this.#options;
    while (this.#restartAgain && !this.#stopped.signal.aborted) {
      this.#restartAgain = false;
      log.info('the processes are restarted one after the other', { processes: this.#slots.length });
      let replaced = 0;
      for (const slot of this.#slots) {
        if (!(await this.#replace(slot))) break;
        replaced++;
      }
      if (replaced === this.#slots.length) log.info('all processes were restarted', { processes: replaced });
    }
  }

  /** Resolves to false if the new process could not start: then the old one stays, and so do all others. */
  async #replace(slot: Slot): Promise<boolean> {
    const next = this.#fork(slot.number);
    const ready = await next.started;
    if (this.#stopped.signal.aborted) return false;
    if (!ready) {
      this.#options.log.error('a new process could not start; the restart ends, and the old processes stay', {
        process: slot.number,
        reason: next.failure?.message ?? null,
      });
      return false;
    }
    const old = slot.current;
    slot.current = next;
    this.#keepRunning(slot);
    await old.stop('replaced');
    return true;
  }

  #ownMetrics(): ReadMetric[] {
    const ready = [...this.#live].filter(({ state }) => state === 'ready').length;
    return [
      {
        name: 'tollgate_processes_ready',
        type: 'gauge',
        help: 'Processes of this supervisor that are ready.',
        values: [{ value: ready, labels: {} }],
      },
      {
        name: 'tollgate_process_crashes_total',
        type: 'counter',
        help: 'Processes that ended unexpectedly and were started again.',
        values: [{ value: this.#crashes, labels: {} }],
      },
    ];
  }
}
