/**
 * Runs the garbage collector once after the start, and after a load of large calls or of very many small ones, when the
 * process has been idle for half a minute: it would not collect by itself, and would keep the memory of the load. Not
 * sooner, because memory that is needed again has to be taken again. While the process stays idle, it also
 * collects the young generation until that is small: V8 shrinks it only in a collection before which little was allocated.
 * Once more it collects everything when the idle connections of the load are closed.
 */

import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import type { Running } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';

const CHECK_MS = 5_000;
/** A smaller load is not worth the pause; with more than REST_BYTES since the last check the process is not idle. */
const LOAD_BYTES = 16 * 1024 * 1024;
const REST_BYTES = 1024 * 1024;
/** Growth of the old generation after which many small calls count as a load. */
const HEAP_BYTES = 24 * 1024 * 1024;
/** The process is idle if at most this fraction of the calls of the load, or this number of calls, is in flight. */
const REST_PART = 0.1;
const REST_CALLS = 5;
/** Checks in a row at which the process is idle, before anything is collected. */
const REST_CHECKS = 6;

/** After a load, idle connections to providers stay for 30 s. Their garbage is then collected if it is worth the pause. */
const AGAIN_CHECKS = 8;
const AGAIN_BYTES = 8 * 1024 * 1024;
/** A young generation of this size is not worth a collection, which takes a few milliseconds. */
const YOUNG_BYTES = 8 * 1024 * 1024;

/** Sizes of the V8 heap, including garbage. */
export interface HeapBytes {
  /** Everything but the young generation. */
  readonly old: number;
  readonly young: number;
}

export interface MemoryReturnOptions {
  readonly clock: Clock;
  /** `taken` never decreases. */
  readonly bytes: { readonly taken: number };
  readonly inFlight: () => number;
  readonly heapBytes?: () => HeapBytes;
  readonly collect?: (generation: 'all' | 'young') => void;
}

export class MemoryReturn implements Running {
  readonly #options: MemoryReturnOptions;
  /** `taken` at the last collection, and at the last check. */
  #collectedAt = 0;
  #lookedAt = 0;
  /** The most calls in flight at any check since the last collection. */
  #inFlightMax = 0;
  #restingChecks = 0;
  /** The smallest old generation seen since the last collection. */
  #oldBytes: number | null = null;
  /** The smallest old generation ever seen. */
  #leastBytes = Number.POSITIVE_INFINITY;
  /** The start counts as a load. */
  #started = false;
  #checksUntilAgain = 0;
  #stop: (() => void) | null = null;

  constructor(options: MemoryReturnOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stop ??= this.#options.clock.every(CHECK_MS, () => this.runOnce());
  }

  stop(): void {
    this.#stop?.();
    this.#stop = null;
  }

  runOnce(): void {
    const { bytes, inFlight, heapBytes = readHeapBytes, collect = collectGarbage } = this.#options;
    const { taken } = bytes;
    const calls = inFlight();
    this.#inFlightMax = Math.max(this.#inFlightMax, calls);
    const rests =
      taken - this.#lookedAt < REST_BYTES && calls <= Math.max(REST_CALLS, this.#inFlightMax * REST_PART);
    this.#lookedAt = taken;
    this.#restingChecks = rests ? this.#restingChecks + 1 : 0;
    if (!rests) return;
    const { old, young } = heapBytes();
    this.#oldBytes = Math.min(this.#oldBytes ?? old, old);
    this.#leastBytes = Math.min(this.#leastBytes, old);
    if (this.#restingChecks < REST_CHECKS) return;
    const loaded = taken - this.#collectedAt >= LOAD_BYTES || old - this.#oldBytes >= HEAP_BYTES;
    if (this.#started && !loaded) {
      this.#checksUntilAgain--;
      if (this.#checksUntilAgain === 0 && old - this.#leastBytes >= AGAIN_BYTES) collect('all');
      else if (young > YOUNG_BYTES) collect('young');
      return;
    }
    this.#started = true;
    this.#checksUntilAgain = AGAIN_CHECKS;
    this.#collectedAt = taken;
    this.#oldBytes = null;
    this.#inFlightMax = calls;
    collect('all');
  }
}

function readHeapBytes(): HeapBytes {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  const young = space?.physical_space_size ?? 0;
  return { old: getHeapStatistics().total_physical_size - young, young };
}

/** Does nothing without `--expose-gc`, which the tollgate command sets on Linux. */
function collectGarbage(generation: 'all' | 'young'): void {
  const { gc } = globalThis as { gc?: (options: { type: 'major' | 'minor'; execution: 'async' }) => unknown };
  void gc?.({ type: generation === 'all' ? 'major' : 'minor', execution: 'async' });
}
