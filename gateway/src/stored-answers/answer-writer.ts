/**
 * The one place that writes stored answers: parts of running streams, which may be lost, and the ends of calls, which are
 * durable before the call is charged. It writes in groups; an end that belongs together with other rows has a transaction.
 */
import type { Database, Transaction } from '../database/database.ts';
import { GroupWriter } from '../database/group-writer.ts';
import { Problem, STORAGE_UNAVAILABLE } from '../kernel/problem.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import { endAnswers, insertParts, markCharged } from './answers.store.ts';
import type { RunningAnswer } from './running-answer.ts';
import type { AnswerPart, EndedAnswer, NamedCall } from './stored-answer.ts';

/** Events of a running stream are in the store after this long. */
export const FLUSH_MS = 250;
/** Events that wait to be stored; above it they are stored at once. */
const FLUSH_BYTES = 64 * 1024;
const GROUP_ROWS_MAX = 200;
const GROUP_BYTES_MAX = 4 * 1024 * 1024;
/** Limit for all parts that wait; above it, they are tried again later. */
const WAITING_BYTES_MAX = 32 * 1024 * 1024;
/** How long the end of a call waits for the database; after that the call fails and is not charged. */
const END_WAIT_MS = 10_000;
/** An answer may have several megabytes, which take time on a busy disk. */
const WRITE_MS_MAX = 10_000;
const STOP_MS_MAX = 5_000;

/** Prepares what is written in the transaction of an end. Called again if the end is written again. */
export type Alongside = () => Promise<(tx: Transaction) => Promise<void>>;

interface Ending extends EndedAnswer {
  /** Set by the write: another request has the key now, or another process has declared the end. */
  lost: boolean;
}

export class StoredAnswerWriter {
  readonly #db: Database;
  readonly #parts: GroupWriter<AnswerPart>;
  readonly #ends: GroupWriter<Ending>;
  readonly #endsAlongside: GroupWriter<Ending & { readonly alongside: Alongside }>;
  readonly #charged: GroupWriter<NamedCall>;

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    this.#db = db;
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
    const ends = {
      ...group,
      laneOf,
      resend: { waitMsMax: END_WAIT_MS, afterwards: 'drop' },
      rejection: (cause: unknown) => new Problem('service_unavailable', { ...STORAGE_UNAVAILABLE, cause }),
    } as const;
    this.#ends = new GroupWriter<Ending>({
      ...ends,
      bytesMax: GROUP_BYTES_MAX,
      sizeOf: ({ parts }) => parts.reduce((sum, { body }) => sum + body.length, 0),
      write: async (calls) => {
        const ended = await endAnswers(db, calls);
        for (const call of calls) call.lost = !ended.has(call.callId);
      },
    });
    this.#endsAlongside = new GroupWriter<Ending & { readonly alongside: Alongside }>({
      ...ends,
      rowsMax: 1,
      write: async (calls) => {
        for (const call of calls) call.lost = !(await this.endAlongside(call, call.alongside));
      },
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

  /** Resolves to false if it was not ours to store: the claim was lost. */
  async end(call: EndedAnswer, alongside: Alongside | null = null): Promise<boolean> {
    const ending = { ...call, lost: false };
    if (alongside === null) {
      await this.#ends.add(ending);
      return !ending.lost;
    }
    const together = { ...ending, alongside };
    await this.#endsAlongside.add(together);
    return !together.lost;
  }

  /** In one transaction. `lostAt`: the process of a background call died, so this one declares its end. */
  async endAlongside(
    call: EndedAnswer,
    alongside: Alongside,
    lostAt: Instant | null = null,
  ): Promise<boolean> {
    const write = await alongside();
    return await this.#db.transaction(
      async (tx) => {
        if (!(await endAnswers(tx, [call], lostAt)).has(call.callId)) return false;
        await write(tx);
        return true;
      },
      { timeoutMs: WRITE_MS_MAX },
    );
  }

  /** Resolves when it is stored that the call is charged. */
  async charged({ spaceId, callId }: NamedCall): Promise<void> {
    await this.#charged.add({ spaceId, callId });
  }

  async stop(): Promise<void> {
    const writers = [this.#parts, this.#ends, this.#endsAlongside, this.#charged];
    await Promise.all(writers.map((writer) => writer.stop(STOP_MS_MAX)));
  }
}
