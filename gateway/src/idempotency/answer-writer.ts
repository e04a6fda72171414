/**
 * Writes answers of calls with an Idempotency-Key to the store, in groups: parts of running streams, which may be lost, and
 * the ends of calls, which are durable before the call is charged.
 */
import type { Database } from '../database/database.ts';
import { GroupWriter } from '../database/group-writer.ts';
import { Problem, STORAGE_UNAVAILABLE } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import {
  type AnswerPart,
  type DecidedCall,
  decideCalls,
  insertParts,
  markCharged,
  type NamedCall,
} from './repeatable-calls.store.ts';
import type { RunningAnswer } from './running-answer.ts';

/** Events of a running stream are in the store after this long. */
export const FLUSH_MS = 250;
/** Events that wait to be stored; above it they are stored at once. */
const FLUSH_BYTES = 64 * 1024;
const GROUP_ROWS_MAX = 200;
const GROUP_BYTES_MAX = 4 * 1024 * 1024;
/** Limit for all parts that wait; above it, they are tried again later. */
const WAITING_BYTES_MAX = 32 * 1024 * 1024;
/** How long the end of a call waits for the database; after that the call fails and is not charged. */
const DECIDE_WAIT_MS = 10_000;
const STOP_MS_MAX = 5_000;

interface Decision extends DecidedCall {
  /** Set by the write: another request has the key now. */
  lost: boolean;
}

export class KeptAnswerWriter {
  readonly #parts: GroupWriter<AnswerPart>;
  readonly #decisions: GroupWriter<Decision>;
  readonly #charged: GroupWriter<NamedCall>;

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    const group = { clock, rowsMax: GROUP_ROWS_MAX };
    const laneOf = ({ spaceId }: NamedCall): string => spaceId;
    this.#parts = new GroupWriter<AnswerPart>({
      ...group,
      laneOf,
      bytesMax: GROUP_BYTES_MAX,
      waitingBytesMax: WAITING_BYTES_MAX,
      sizeOf: ({ body }) => body.length,
      write: (parts) => insertParts(db, parts),
    });
    this.#decisions = new GroupWriter<Decision>({
      ...group,
      laneOf,
      bytesMax: GROUP_BYTES_MAX,
      sizeOf: ({ parts }) => parts.reduce((sum, { body }) => sum + body.length, 0),
      write: async (calls) => {
        const decided = await decideCalls(db, calls);
        for (const call of calls) call.lost = !decided.has(call.callId);
      },
      resend: { waitMsMax: DECIDE_WAIT_MS, afterwards: 'drop' },
      rejection: (cause) => new Problem('service_unavailable', { ...STORAGE_UNAVAILABLE, cause }),
    });
    this.#charged = new GroupWriter({ ...group, write: (calls) => markCharged(db, calls) });
  }

  /** Hands new events to the store. What cannot be written now is tried again later, at the latest with the end. */
  flush(answer: RunningAnswer): void {
    const taken = answer.takePart();
    if (taken === null) return;
    this.#parts.add(taken.part).then(() => {
      taken.stored();
      this.flushMany(answer);
    }, taken.failed);
  }

  /** Hands new events to the store if there are many, or if their call waits for it. */
  flushMany(answer: RunningAnswer): void {
    if (answer.unflushedBytes >= FLUSH_BYTES || answer.isFull) this.flush(answer);
  }

  /** Resolves to false if the claim was lost. */
  async decide(call: DecidedCall): Promise<boolean> {
    const decision: Decision = { ...call, lost: false };
    await this.#decisions.add(decision);
    return !decision.lost;
  }

  /** Resolves when it is stored that the call is charged. */
  async charged({ spaceId, callId }: NamedCall): Promise<void> {
    await this.#charged.add({ spaceId, callId });
  }

  async stop(): Promise<void> {
    await Promise.all(
      [this.#parts, this.#decisions, this.#charged].map((writer) => writer.stop(STOP_MS_MAX)),
    );
  }
}
