/**
 * Shares the lines that may run at once: among spaces, so that a space with a hundred batches leaves
 * room for one with a single one, and among models, each of which takes as many as its provider takes
 * without complaint.
 */
import type { Clock } from '../kernel/time.ts';

export interface SlotsOptions {
  readonly clock: Clock;
  /** At once, in this process. */
  readonly linesMax: number;
}

interface Waiting {
  readonly model: string;
  readonly begin: () => void;
}

interface Pace {
  /** Lines of this model at once; halved when its provider says it is too much, raised as lines succeed. */
  limit: number;
  running: number;
  succeeded: number;
  /** Nothing begins before this moment. */
  restUntilMs: number;
}

export class LineSlots {
  readonly #options: SlotsOptions;
  readonly #spaces = new Map<string, { running: number; waiting: Waiting[] }>();
  readonly #paces = new Map<string, Pace>();
  #running = 0;
  #wake: (() => void) | null = null;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  /** Resolves when a line of this space and model may begin. */
  take(spaceId: string, model: string): Promise<void> {
    return new Promise((resolve) => {
      const space = this.#space(spaceId);
      space.waiting.push({ model, begin: resolve });
      this.#next();
    });
  }

  /** The line is over. `restMs` is given when the provider said it is too much for now. */
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

  /** Begins what may: the space with the fewest lines under way comes first. */
  #next(): void {
    while (this.#running < this.#options.linesMax) {
      const turn = this.#turn();
      if (turn === null) return;
      const [waiting] = turn.space.waiting.splice(turn.at, 1);
      turn.space.running++;
      this.#pace((waiting as Waiting).model).running++;
      this.#running++;
      (waiting as Waiting).begin();
    }
  }

  #turn(): { space: { running: number; waiting: Waiting[] }; at: number } | null {
    let best: { space: { running: number; waiting: Waiting[] }; at: number } | null = null;
    for (const space of this.#spaces.values()) {
      if (best !== null && space.running >= best.space.running) continue;
      const at = space.waiting.findIndex(({ model }) => this.#mayBegin(model));
      if (at >= 0) best = { space, at };
    }
    return best;
  }

  #mayBegin(model: string): boolean {
    const pace = this.#pace(model);
    if (pace.running >= pace.limit) return false;
    const restMs = pace.restUntilMs - this.#options.clock.elapsedMs();
    if (restMs <= 0) return true;
    this.#wake ??= this.#options.clock.after(restMs, () => {
      this.#wake = null;
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

/** One more at once after as many successes as are allowed at once. */
function faster(pace: Pace, linesMax: number): void {
  if (pace.limit >= linesMax || ++pace.succeeded < pace.limit) return;
  pace.limit++;
  pace.succeeded = 0;
}

/** Lines that were sent before the first complaint complain too: while it rests they halve it no further. */
function slower(pace: Pace, { nowMs, restMs }: { nowMs: number; restMs: number }): void {
  if (nowMs >= pace.restUntilMs) pace.limit = Math.max(1, Math.floor(pace.limit / 2));
  pace.restUntilMs = Math.max(pace.restUntilMs, nowMs + restMs);
  pace.succeeded = 0;
}
