/**
 * Limits how many lines run at once. Spaces share the slots fairly, so that a space with a hundred batches leaves room
 * for a space with one. Each model gets as many slots as its provider accepts without rate-limit errors.
 */
import type { Clock } from '../kernel/time.ts';

export interface SlotsOptions {
  readonly clock: Clock;
  /** The most lines that run at once in this process. */
  readonly linesMax: number;
}

interface Waiting {
  readonly model: string;
  readonly start: () => void;
}

interface Pace {
  /** The most lines of this model at once; halved on a rate-limit error, raised as lines succeed. */
  limit: number;
  running: number;
  succeeded: number;
  /** No line starts before this moment. */
  restUntilMs: number;
}

export class LineSlots {
  readonly #options: SlotsOptions;
  readonly #spaces = new Map<string, { running: number; waiting: Waiting[] }>();
  readonly #paces = new Map<string, Pace>();
  #running = 0;
  #pauseTimer: (() => void) | null = null;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  /** Resolves when a line of this space and model may start. */
  take(spaceId: string, model: string): Promise<void> {
    return new Promise((resolve) => {
      const space = this.#space(spaceId);
      space.waiting.push({ model, start: resolve });
      this.#next();
    });
  }

  /** The line has ended. `restMs`: how long to pause the model after a rate-limit error. */
  give(spaceId: string, model: string, restMs: number | null): void {
    const space = this.#space(spaceId);
    const pace = this.#pace(model);
    space.running--;
    pace.running--;
    this.#running--;
    if (space.running === 0 && space.waiting.length === 0) this.#spaces.delete(spaceId);
    if (restMs === null) faster(pace, this.#options.linesMax);
    else slower(pace, { nowMs: this.#options.clock.elapsedMs(), restMs });
    this.#next();
  }

  /** Starts waiting lines; the space with the fewest running lines comes first. */
  #next(): void {
    while (this.#running < this.#options.linesMax) {
      const next = this.#nextInTurn();
      if (next === null) return;
      const [waiting] = next.space.waiting.splice(next.at, 1);
      next.space.running++;
      this.#pace((waiting as Waiting).model).running++;
      this.#running++;
      (waiting as Waiting).start();
    }
  }

  #nextInTurn(): { space: { running: number; waiting: Waiting[] }; at: number } | null {
    let best: { space: { running: number; waiting: Waiting[] }; at: number } | null = null;
    for (const space of this.#spaces.values()) {
      if (best !== null && space.running >= best.space.running) continue;
      const at = space.waiting.findIndex(({ model }) => this.#mayStart(model));
      if (at >= 0) best = { space, at };
    }
    return best;
  }

  #mayStart(model: string): boolean {
    const pace = this.#pace(model);
    if (pace.running >= pace.limit) return false;
    const restMs = pace.restUntilMs - this.#options.clock.elapsedMs();
    if (restMs <= 0) return true;
    this.#pauseTimer ??= this.#options.clock.after(restMs, () => {
      this.#pauseTimer = null;
      this.#next();
    });
    return false;
  }

  #space(spaceId: string): { running: number; waiting: Waiting[] } {
    let space = this.#spaces.get(spaceId);
    if (space === undefined) {
      space = { running: 0, waiting: [] };
      this.#spaces.set(spaceId, space);
    }
    return space;
  }

  #pace(model: string): Pace {
    let pace = this.#paces.get(model);
    if (pace === undefined) {
      const restUntilMs = Number.NEGATIVE_INFINITY;
      pace = { limit: this.#options.linesMax, running: 0, succeeded: 0, restUntilMs };
      this.#paces.set(model, pace);
    }
    return pace;
  }
}

/** Raises the limit by one after as many successes as the limit. */
function faster(pace: Pace, linesMax: number): void {
  if (pace.limit >= linesMax || ++pace.succeeded < pace.limit) return;
  pace.limit++;
  pace.succeeded = 0;
}

/** Lines sent before the first rate-limit error fail as well; the limit is halved only once per pause. */
function slower(pace: Pace, { nowMs, restMs }: { nowMs: number; restMs: number }): void {
  if (nowMs >= pace.restUntilMs) pace.limit = Math.max(1, Math.floor(pace.limit / 2));
  pace.restUntilMs = Math.max(pace.restUntilMs, nowMs + restMs);
  pace.succeeded = 0;
}
