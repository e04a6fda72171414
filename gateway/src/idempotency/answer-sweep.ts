/** Charges answers whose process died before it did, keeps each space within its quota, and deletes what has expired. */
import type { Database } from '../database/database.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Running } from '../kernel/running.ts';
import { Sweeper } from '../kernel/sweeper.ts';
import type { Clock } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { CallRecorder } from '../metering/call-recorder.ts';
import type { KeptAnswerWriter } from './answer-writer.ts';
import {
  deleteExpiredCalls,
  dropOldestAnswers,
  findUncharged,
  type NamedCall,
} from './repeatable-calls.store.ts';

/** Limit for all answers of a space; the oldest are removed to make room. */
export const SPACE_ANSWER_BYTES_MAX = 256 * 1024 * 1024;
/** The quota of a space is checked each time it has stored this many bytes, and in every sweep. */
const QUOTA_STEP_BYTES = SPACE_ANSWER_BYTES_MAX / 16;
const SWEEP_MS = 60 * 1000;
const SWEEP_ROWS_MAX = 500;

export interface AnswerSweepOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly recorder: Pick<CallRecorder, 'recordRow'>;
  readonly background: BackgroundTasks;
  readonly writer: KeptAnswerWriter;
  readonly onSweepFailed?: (error: unknown) => void;
}

export class AnswerSweep implements Running {
  readonly #options: AnswerSweepOptions;
  readonly #sweeper: Sweeper;
  /** Bytes that spaces have stored since their quota was checked. */
  readonly #added = new Map<string, number>();

  constructor(options: AnswerSweepOptions) {
    const { clock, onSweepFailed } = options;
    this.#options = options;
    this.#sweeper = new Sweeper({
      clock,
      everyMs: SWEEP_MS,
      sweep: () => this.#sweep(),
      ...(onSweepFailed && { onTrouble: onSweepFailed }),
    });
  }

  async start(): Promise<void> {
    await this.#sweeper.start();
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop();
  }

  async runOnce(): Promise<void> {
    await this.#sweeper.runOnce();
  }

  /** For a stored answer that may not be charged yet. */
  async charge(of: NamedCall & { charge: string }): Promise<void> {
    await this.#options.recorder.recordRow(of.charge);
    await whenAvailable(() => this.#options.writer.charged(of));
  }

  /** The space has stored an answer. */
  stored(spaceId: string, bytes: number): void {
    const added = (this.#added.get(spaceId) ?? 0) + bytes;
    this.#added.set(spaceId, added);
    if (added < QUOTA_STEP_BYTES) return;
    this.#options.background.run('remove old answers', () => this.#checkQuota(spaceId));
  }

  async #checkQuota(spaceId: string): Promise<void> {
    this.#added.delete(spaceId);
    await dropOldestAnswers(this.#options.db, { spaceId, bytesMax: SPACE_ANSWER_BYTES_MAX });
  }

  async #sweep(): Promise<boolean> {
    const { db, clock } = this.#options;
    for (const spaceId of [...this.#added.keys()]) await this.#checkQuota(spaceId);
    const uncharged = await findUncharged(db, clock.now(), SWEEP_ROWS_MAX);
    for (const call of uncharged) await this.charge(call);
    const deleted = await deleteExpiredCalls(db, clock.now(), SWEEP_ROWS_MAX);
    return deleted === SWEEP_ROWS_MAX || uncharged.length === SWEEP_ROWS_MAX;
  }
}
