/**
 * Starts the parts of a process in the order of one list, and stops them stage by stage. A part that cannot be stopped
 * is logged, and the next one is stopped.
 */
import type { Log } from '../telemetry/log.ts';

/** The order in which parts are stopped; parts of one stage are stopped in the order of the list. */
export const stopStages = [
  /** No more connections are accepted, once load balancers have had time to notice. */
  'leave',
  /** Log streams never end by themselves; their clients reconnect to another process. */
  'log streams',
  /** Requests under way finish, or are cut when the time is up. */
  'drain',
  /** Timers that served these requests. */
  'timers',
  /** Jobs under way have reached a point where another process can continue. */
  'jobs',
  /** Records of calls are durable. */
  'calls',
  /** Writers of everything else that outlives a request. */
  'stores',
  /** Followers of the configuration, the database and the limits. */
  'followers',
  /** Redis, threads, providers, the metrics port. */
  'connections',
  /** Last, because every stage before may write. */
  'database',
] as const;
export type StopStage = (typeof stopStages)[number];

/** `Plan` tells the parts how much time they have to stop. */
export interface Part<Plan> {
  /** For the log. */
  readonly name: string;
  readonly stopsAt: StopStage;
  /** Its stop begins before the first stage; its own stage only waits for the end. */
  readonly stopsEarly?: true;
  /** Without a start: it starts with its first use. */
  readonly running: { start?(): unknown; stop(plan: Plan): unknown };
}

export class RunningParts<Plan> {
  readonly #parts: ReadonlyArray<Part<Plan>>;
  readonly #log: Log;

  constructor(parts: ReadonlyArray<Part<Plan>>, log: Log) {
    this.#parts = parts;
    this.#log = log;
  }

  async start(): Promise<void> {
    for (const { running } of this.#parts) await running.start?.();
  }

  /** Never rejects. Also stops parts that were not started, because a start may have failed halfway. */
  async stop(plan: Plan): Promise<void> {
    const early = new Map<Part<Plan>, Promise<void>>();
    for (const part of this.#parts) if (part.stopsEarly) early.set(part, this.#stopPart(part, plan));
    for (const stage of stopStages) {
      for (const part of this.#parts) {
        if (part.stopsAt === stage) await (early.get(part) ?? this.#stopPart(part, plan));
      }
    }
  }

  async #stopPart({ name, running }: Part<Plan>, plan: Plan): Promise<void> {
    try {
      await running.stop(plan);
    } catch (error) {
      this.#log.error('a part of the gateway could not be stopped', { part: name, error });
    }
  }
}
