/**
 * The one sweep of stored answers: declares the end of background calls whose process died, charges answers whose process
 * died before it did, keeps each space within its quota, and deletes what has expired. Who finds such an answer before the
 * sweep does the same.
 */
import type { Database } from '../database/database.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Running } from '../kernel/running.ts';
import { Sweeper } from '../kernel/sweeper.ts';
import { type Clock, pause } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { CallRecorder } from '../metering/call-recorder.ts';
import { deleteExpired, dropOldest, findLost, findUncharged } from './answer-sweep.store.ts';
import type { Alongside, StoredAnswerWriter } from './answer-writer.ts';
import { findByCall, findParts } from './answers.store.ts';
import type { AnswerPart, EndedAnswer, NamedCall, StoredAnswer } from './stored-answer.ts';

/** Limit for all answers of a space; the oldest are removed to make room. */
export const SPACE_ANSWER_BYTES_MAX = 256 * 1024 * 1024;
/** The quota of a space is checked each time it has stored this many bytes, and in every sweep. */
const QUOTA_STEP_BYTES = SPACE_ANSWER_BYTES_MAX / 16;
const SWEEP_MS = 60 * 1000;
const SWEEP_ROWS_MAX = 500;
/** How often processes look for background calls whose process died. */
const LOST_SWEEP_MS = 5_000;
const LOST_ROWS_MAX = 100;
/** How long a reader waits for the charge of a call that has ended. */
const SETTLE_WAIT_MS = 10_000;
const SETTLE_CHECK_MS = 20;

export interface LostCall extends NamedCall {
  /** Null if its row is gone, so that nothing can be charged. */
  readonly row: StoredAnswer | null;
  /** Its events, as far as they were stored. */
  readonly parts: ReadonlyArray<Pick<AnswerPart, 'firstEvent' | 'events' | 'body'>>;
}

/** Says how a background call ends whose process died. */
export type DeclareLost = (lost: LostCall) => Promise<{ ended: EndedAnswer; alongside: Alongside }>;

export interface AnswerSweepOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly recorder: Pick<CallRecorder, 'recordRow'>;
  readonly background: BackgroundTasks;
  readonly writer: StoredAnswerWriter;
  readonly onSweepFailed: (error: unknown) => void;
  readonly onRecoveryFailed: (error: unknown) => void;
}

export class AnswerSweep implements Running {
  readonly #options: AnswerSweepOptions;
  readonly #sweepers: readonly Sweeper[];
  /** Bytes that spaces have stored since their quota was checked. */
  readonly #added = new Map<string, number>();
  /** Set at the start, by the part that knows how background calls end. */
  declareLost: DeclareLost = () => Promise.reject(new Error('nobody declares the end of lost calls'));

  constructor(options: AnswerSweepOptions) {
    const { clock, onSweepFailed, onRecoveryFailed } = options;
    this.#options = options;
    this.#sweepers = [
      new Sweeper({
        clock,
        everyMs: LOST_SWEEP_MS,
        atStart: 'in background',
        sweep: () => this.#recoverLost(),
        onTrouble: onRecoveryFailed,
      }),
      new Sweeper({ clock, everyMs: SWEEP_MS, sweep: () => this.#sweep(), onTrouble: onSweepFailed }),
    ];
  }

  async start(): Promise<void> {
    for (const sweeper of this.#sweepers) await sweeper.start();
  }

  async stop(): Promise<void> {
    for (const sweeper of this.#sweepers) await sweeper.stop();
  }

  async runOnce(): Promise<void> {
    for (const sweeper of this.#sweepers) await sweeper.runOnce();
  }

  /** Declares the end of a background call if the process that ran it died. */
  async recover({ spaceId, callId }: NamedCall): Promise<void> {
    const { db, clock, writer } = this.#options;
    const call = { spaceId, callId };
    const row = await whenAvailable(() => findByCall(db, call));
    if (row !== null && (row.state !== 'running' || row.leaseUntil > clock.now())) return;
    const parts = await whenAvailable(() => findParts(db, call, { after: 0, stored: true }));
    const { ended, alongside } = await this.declareLost({ ...call, row, parts });
    if (row === null) return await whenAvailable(async () => await db.transaction(await alongside()));
    const declared = await whenAvailable(() => writer.endAlongside(ended, alongside, clock.now()));
    if (declared && ended.charge !== null) await this.charge({ ...call, charge: ended.charge });
  }

  /** Charges a stored answer that may not be charged yet. */
  async charge(of: NamedCall & { charge: string }): Promise<void> {
    await this.#options.recorder.recordRow(of.charge);
    await whenAvailable(() => this.#options.writer.charged(of));
  }

  /** Resolves when a background call that has ended is charged; false if that takes too long. */
  async settled(call: NamedCall): Promise<boolean> {
    const { db, clock } = this.#options;
    const untilMs = clock.elapsedMs() + SETTLE_WAIT_MS;
    for (;;) {
      const found = await whenAvailable(() => findByCall(db, call));
      if (found === null || found.charged) return true;
      const { charge, leaseUntil } = found;
      if (leaseUntil <= clock.now() && charge !== null) await this.charge({ ...call, charge });
      if (clock.elapsedMs() > untilMs) return false;
      await pause(clock, SETTLE_CHECK_MS);
    }
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
    await dropOldest(this.#options.db, { spaceId, bytesMax: SPACE_ANSWER_BYTES_MAX });
  }

  async #recoverLost(): Promise<boolean> {
    const { db, clock, onRecoveryFailed } = this.#options;
    const lost = await findLost(db, clock.now(), LOST_ROWS_MAX);
    // One that cannot be ended must not keep the others from their end.
    let failures = 0;
    for (const call of lost)
      await this.recover(call).catch((error: unknown) => {
        failures++;
        onRecoveryFailed(error);
      });
    return failures === 0 && lost.length === LOST_ROWS_MAX;
  }

  async #sweep(): Promise<boolean> {
    const { db, clock } = this.#options;
    for (const spaceId of [...this.#added.keys()]) await this.#checkQuota(spaceId);
    const uncharged = await findUncharged(db, clock.now(), SWEEP_ROWS_MAX);
    for (const call of uncharged) await this.charge(call);
    const deleted = await deleteExpired(db, clock.now(), SWEEP_ROWS_MAX);
    return deleted === SWEEP_ROWS_MAX || uncharged.length === SWEEP_ROWS_MAX;
  }
}
