/**
 * Our own engine: runs the lines of a batch through the providers, as many at once as its share allows,
 * and writes each down when it is done. Whoever takes the batch up after a crash goes on with the lines
 * that are not written, so at most those under way are run twice, and none is charged twice.
 */
import type { Readable } from 'node:stream';
import type { BatchUrl } from '../contract/files.ts';
import { type Database, DatabaseUnavailable } from '../database/database.ts';
import { ANSWER_MS, LONG_ANSWER_MS } from '../database/deadlines.ts';
import { GroupWriter } from '../database/group-writer.ts';
import { type Clock, pause } from '../kernel/time.ts';
import type { BatchEngine, EngineRun } from './batch-engine.ts';
import { type DoneLine, listDoneLines, recordLines } from './batch-lines.store.ts';
import type { BatchStatus } from './batch-state.ts';
import { findBatch } from './batches.store.ts';
import { inputLines } from './input-lines.ts';
import type { LineSlots } from './line-slots.ts';
import { type LineTools, runLine } from './run-line.ts';

export interface RunLinesTools extends LineTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly slots: LineSlots;
}

type LinesEnd = 'all' | 'cancelled' | 'expired' | 'stopped';

const GROUP_LINES_MAX = 200;
const LOOK_MS = 1_000;
/** Lines under way when the process is to stop may take this long to come in. */
const DRAIN_MS = 20_000;
/** How soon lines are written again that could not be. */
const REWRITE_MS = 200;
const REST_MS = 1_000;
/** How long a line waits before it is tried again, at most. */
const REST_MS_MAX = 60_000;

export function ownEngine(tools: RunLinesTools): BatchEngine {
  return {
    async run(run, signal) {
      const { batch } = run;
      // Nothing is under way here: what can be stopped is stopped already.
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
  /** Ends the calls under way. */
  readonly #cut = new AbortController();
  /** No line begins any more. */
  readonly #halted = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  #end: LinesEnd = 'all';
  #cutLater: (() => void) | null = null;
  #broken: unknown = null;

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
    const stop = (): void => this.#halt('stopped');
    this.#signal.addEventListener('abort', stop, { once: true });
    if (this.#signal.aborted) stop();
    const expiry = clock.after(Math.max(0, batch.expiresAt - clock.now()), () => this.#halt('expired'));
    const looking = clock.every(LOOK_MS, () => void this.#look());
    try {
      for await (const { bytes, line } of inputLines(this.#input)) {
        if (done.has(line)) continue;
        if (this.#halted.signal.aborted || !(await this.#begin(bytes, line))) break;
      }
    } catch (error) {
      this.#broken ??= error;
      this.#halt('stopped');
    }
    // Whatever happened, answers that are on their way are paid for.
    while (this.#underWay.size > 0) await Promise.race(this.#underWay);
    expiry();
    looking();
    this.#cutLater?.();
    this.#signal.removeEventListener('abort', stop);
    if (this.#broken !== null) throw this.#broken;
    return this.#end;
  }

  /** False when no line may begin any more. */
  async #begin(bytes: Buffer, line: number): Promise<boolean> {
    const { spaceId, model } = this.#run.batch;
    await this.#tools.slots.take(spaceId, model);
    if (this.#halted.signal.aborted) {
      this.#tools.slots.give(spaceId, model, null);
      return false;
    }
    const running = this.#line(bytes, line)
      .catch((error: unknown) => {
        this.#broken ??= error;
        this.#halt('stopped');
      })
      .finally(() => this.#underWay.delete(running));
    this.#underWay.add(running);
    return true;
  }

  /** Holds a slot from before it begins; gives it back whenever it only waits. */
  async #line(bytes: Buffer, line: number): Promise<void> {
    const { slots, clock } = this.#tools;
    const { batch, principal } = this.#run;
    const call = { line, bytes, endpoint: batch.endpoint as BatchUrl, principal };
    for (let tried = 0; ; tried++) {
      const end = await runLine(call, this.#cut.signal, this.#tools);
      if ('done' in end) {
        // Kept until the line is written, so that only so many answers wait for a database that is away.
        await this.#writer.add(end.done).finally(() => slots.give(batch.spaceId, batch.model, null));
        return;
      }
      const restMs = Math.min(end.again.retryAfterMs ?? REST_MS * 2 ** Math.min(tried, 10), REST_MS_MAX);
      slots.give(batch.spaceId, batch.model, restMs);
      await pause(clock, restMs, this.#halted.signal);
      if (this.#halted.signal.aborted) return;
      await slots.take(batch.spaceId, batch.model);
      if (!this.#halted.signal.aborted) continue;
      slots.give(batch.spaceId, batch.model, null);
      return;
    }
  }

  /** Writes until the database has them, or the process must end: a repeat changes nothing. */
  async #record(lines: readonly DoneLine[]): Promise<void> {
    const { db, clock } = this.#tools;
    // Longer each time, for lines that are large or a database that is slow and not dead.
    for (let answerMs = ANSWER_MS; ; answerMs = Math.min(answerMs * 2, LONG_ANSWER_MS)) {
      try {
        this.#heard(await recordLines(db, this.#run.batch.id, lines, answerMs));
        return;
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || this.#cut.signal.aborted) throw error;
        await pause(clock, REWRITE_MS, this.#cut.signal);
      }
    }
  }

  async #look(): Promise<void> {
    const batch = await findBatch(this.#tools.db, this.#run.batch.id).catch(() => null);
    if (batch !== null) this.#heard(batch.status);
  }

  #heard(status: BatchStatus): void {
    if (status === 'cancelling') this.#halt('cancelled');
  }

  #halt(end: LinesEnd): void {
    if (end === 'stopped') this.#cutLater ??= this.#tools.clock.after(DRAIN_MS, () => this.#cut.abort());
    if (this.#halted.signal.aborted) return;
    this.#end = end;
    this.#halted.abort();
  }
}
