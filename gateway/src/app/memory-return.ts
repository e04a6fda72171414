/**
 * Runs the garbage collector once after a load of large calls, or of very many small ones. An idle process would not
 * collect by itself, and would keep the memory of the load.
 */

import { getHeapStatistics } from 'node:v8';
import type { Running } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';

const CHECK_MS = 5_000;
/** A smaller load is not worth the pause; with more than REST_BYTES since the last check the process is not idle. */
const LOAD_BYTES = 16 * 1024 * 1024;
const REST_BYTES = 1024 * 1024;
/** Heap growth after which many small calls count as a load. */
const HEAP_BYTES = 24 * 1024 * 1024;
/** The process is idle if at most this fraction of the calls of the load, or this number of calls, is in flight. */
const REST_PART = 0.1;
const REST_CALLS = 5;

export interface MemoryReturnOptions {
  readonly clock: Clock;
  /** `taken` never decreases. */
  readonly bytes: { readonly taken: number };
  readonly inFlight: () => number;
  readonly heapBytes: () => number;
  readonly collect: () => void;
}

export class MemoryReturn implements Running {
  readonly #options: MemoryReturnOptions;
  /** `taken` at the last collection, and at the last check. */
  #collectedAt = 0;
  #lookedAt = 0;
  /** The most calls in flight at any check since the last collection. */
  #inFlightMax = 0;
  /** The smallest heap seen since the last collection. */
  #heapBytes: number | null = null;
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
    const { bytes, inFlight, heapBytes, collect } = this.#options;
    const { taken } = bytes;
    const calls = inFlight();
    this.#inFlightMax = Math.max(this.#inFlightMax, calls);
    const rests =
      taken - this.#lookedAt < REST_BYTES && calls <= Math.max(REST_CALLS, this.#inFlightMax * REST_PART);
    this.#lookedAt = taken;
    if (!rests) return;
    const heap = heapBytes();
    this.#heapBytes = Math.min(this.#heapBytes ?? heap, heap);
    if (taken - this.#collectedAt < LOAD_BYTES && heap - this.#heapBytes < HEAP_BYTES) return;
    this.#collectedAt = taken;
    this.#heapBytes = null;
    this.#inFlightMax = calls;
    collect();
  }
}

/** Size of the V8 heap, including garbage. */
export function heapBytes(): number {
  return getHeapStatistics().total_heap_size;
}

/** Does nothing without `--expose-gc`, which the tollgate command sets on Linux. */
export function collectGarbage(): void {
  const { gc } = globalThis as { gc?: (options: { type: 'major'; execution: 'async' }) => unknown };
  void gc?.({ type: 'major', execution: 'async' });
}
