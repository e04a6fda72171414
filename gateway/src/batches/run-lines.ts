/**
 * Our own engine: runs the lines of a batch in this process, as many at once as LineSlots allows, and stores each
 * result. After a crash another process runs the lines without a result, so at most the lines that were running run
 * twice, and none is charged twice.
 */
import type { Readable } from 'node:stream';
import type { BatchUrl } from '../contract/paid-endpoints.ts';
import { type Database, DatabaseUnavailable } from '../database/database.ts';
import { ANSWER_MS, LONG_ANSWER_MS } from '../database/deadlines.ts';
import { GroupWriter } from '../database/group-writer.ts';
import type { Problem } from '../kernel/problem.ts';
import { type Clock, pause } from '../kernel/time.ts';
import { addUnits, type Units, ZERO } from '../kernel/units.ts';
import { reserveUsedUp } from '../metering/limit-problems.ts';
import type { BatchEngine, EngineRun } from './batch-engine.ts';
import { type DoneLine, listDoneLines, recordLines, sumLines } from './batch-lines.store.ts';
import type { BatchStatus } from './batch-state.ts';
import { findBatch } from './batches.store.ts';
import { inputLines } from './input-lines.ts';
import type { LineSlots } from './line-slots.ts';
import { type LineTools, refuseLine, runLine } from './run-line.ts';

export interface RunLinesTools extends LineTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly slots: LineSlots;
}

type LinesEnd = 'all' | 'cancelled' | 'expired' | 'stopped';

const GROUP_LINES_MAX = 200;
const STATUS_MS = 1_000;
/** How long a stopping process waits for running lines. */
const DRAIN_MS = 20_000;
/** The pause before a failed write is repeated. */
const REPEAT_WRITE_MS = 200;
const RETRY_MS = 1_000;
/** The longest pause before a line is retried. */
const RETRY_MS_MAX = 60_000;

export function ownEngine(tools: RunLinesTools): BatchEngine {
  return {
    async run(run, signal) {
      const { batch } = run;
      // No line is running, so there is nothing to stop.
      if (batch.status === 'cancelling' && batch.completed + batch.failed < batch.total) return 'cancelled';
      const input = await run.input();
      try {
        return await new RunningLines(run, { input, signal, tools }).run();
      } finally {
        input.destroy();
      }
    },
  };
}

class RunningLines {
  readonly #run: EngineRun;
  readonly #input: Readable;
  readonly #signal: AbortSignal;
  readonly #tools: RunLinesTools;
  readonly #writer: GroupWriter<DoneLine>;
  /** Aborts the running calls. */
  readonly #abort = new AbortController();
  /** No more lines start. */
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #end: LinesEnd = 'all';
  #abortLater: (() => void) | null = null;
  #failure: unknown = null;
  /** What the lines with a result cost. */
  #cost: Units = ZERO;

  constructor(
    run: EngineRun,
    { input, signal, tools }: { input: Readable; signal: AbortSignal; tools: RunLinesTools },
  ) {
    this.#run = run;
    this.#input = input;
    this.#signal = signal;
    this.#tools = tools;
    this.#writer = new GroupWriter({
      clock: tools.clock,
      rowsMax: GROUP_LINES_MAX,
      write: (lines) => this.#record(lines),
    });
  }

  async run(): Promise<LinesEnd> {
    const { clock, db } = this.#tools;
    const { batch } = this.#run;
    const done = new Set(await listDoneLines(db, batch.id));
    if (this.#run.cap !== null) this.#cost = (await sumLines(db, batch.id)).cost;
    const stop = (): void => this.#stop('stopped');
    this.#signal.addEventListener('abort', stop, { once: true });
    if (this.#signal.aborted) stop();
    const expiry = clock.after(Math.max(0, batch.expiresAt - clock.now()), () => this.#stop('expired'));
    const checking = clock.every(STATUS_MS, () => void this.#checkStatus());
    try {
      for await (const { bytes, line } of inputLines(this.#input)) {
        if (done.has(line)) continue;
        if (this.#stopped.signal.aborted || !(await this.#start(bytes, line))) break;
      }
    } catch (error) {
      this.#failure ??= error;
      this.#stop('stopped');
    }
    // Running calls are paid for, so their answers are stored whatever happened.
    while (this.#running.size > 0) await Promise.race(this.#running);
    expiry();
    checking();
    this.#abortLater?.();
    this.#signal.removeEventListener('abort', stop);
    if (this.#failure !== null) throw this.#failure;
    return this.#end;
  }

  /** False when no more lines may start. */
  async #start(bytes: Buffer, line: number): Promise<boolean> {
    const { spaceId, model } = this.#run.batch;
    await this.#tools.slots.take(spaceId, model);
    if (this.#stopped.signal.aborted) {
      this.#tools.slots.give(spaceId, model, null);
      return false;
    }
    const running = this.#line(bytes, line)
      .catch((error: unknown) => {
        this.#failure ??= error;
        this.#stop('stopped');
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    return true;
  }

  /** Starts with a slot, and gives the slot back while it only waits. */
  async #line(bytes: Buffer, line: number): Promise<void> {
    const { slots, clock } = this.#tools;
    const { batch, principal } = this.#run;
    const { createdAt: submittedAt, model, tags } = batch;
    const call = { line, bytes, endpoint: batch.endpoint as BatchUrl, principal, model, tags, submittedAt };
    for (let tried = 0; ; tried++) {
      const refusal = this.#refusal();
      const end =
        refusal === null
          ? await runLine(call, this.#abort.signal, this.#tools)
          : await refuseLine(call, refusal, this.#tools);
      if ('done' in end) {
        this.#cost = addUnits(this.#cost, end.done.cost ?? ZERO);
        // The slot is kept until the line is stored, which limits how many answers wait for an unavailable database.
        await this.#writer.add(end.done).finally(() => slots.give(batch.spaceId, batch.model, null));
        return;
      }
      const retryMs = Math.min(end.again.retryAfterMs ?? RETRY_MS * 2 ** Math.min(tried, 10), RETRY_MS_MAX);
      slots.give(batch.spaceId, batch.model, retryMs);
      await pause(clock, retryMs, this.#stopped.signal);
      if (this.#stopped.signal.aborted) return;
      await slots.take(batch.spaceId, batch.model);
      if (!this.#stopped.signal.aborted) continue;
      slots.give(batch.spaceId, batch.model, null);
      return;
    }
  }

  /** A batch that costs nothing has nothing reserved, and runs. */
  #refusal(): Problem | null {
    const { cap } = this.#run;
    return cap !== null && this.#cost >= cap && this.#cost > ZERO ? reserveUsedUp(cap) : null;
  }

  /** Retries until the lines are stored or the process ends. Storing a line twice has no effect. */
  async #record(lines: readonly DoneLine[]): Promise<void> {
    const { db, clock } = this.#tools;
    // Longer each time, for large lines or a slow database.
    for (let answerMs = ANSWER_MS; ; answerMs = Math.min(answerMs * 2, LONG_ANSWER_MS)) {
      try {
        this.#onStatus(await recordLines(db, this.#run.batch.id, lines, answerMs));
        return;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || this.#abort.signal.aborted) throw error;
        await pause(clock, REPEAT_WRITE_MS, this.#abort.signal);
      }
    }
  }

  async #checkStatus(): Promise<void> {
    const batch = await findBatch(this.#tools.db, this.#run.batch.id).catch(() => null);
    if (batch !== null) this.#onStatus(batch.status);
  }

  #onStatus(status: BatchStatus): void {
    if (status === 'cancelling') this.#stop('cancelled');
  }

  #stop(end: LinesEnd): void {
    if (end === 'stopped') this.#abortLater ??= this.#tools.clock.after(DRAIN_MS, () => this.#abort.abort());
    if (this.#stopped.signal.aborted) return;
    this.#end = end;
    this.#stopped.abort();
  }
}
