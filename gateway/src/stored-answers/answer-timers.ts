/** While calls run: renews their claims, stores their new events, and ends the background calls that were cancelled. */
import type { Database } from '../database/database.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { Clock } from '../kernel/time.ts';
import { responseCancelled } from './answer-problems.ts';
import { FLUSH_MS } from './answer-writer.ts';
import { findCancelRequests, renewClaims } from './answers.store.ts';
import type { RunningAnswer } from './running-answer.ts';
import { CALL_LEASE_MS } from './stored-answer.ts';

const RENEW_MS = 1_500;
/** How often the store is asked whether a background call was cancelled through another process. */
const CANCEL_CHECK_MS = 500;

export interface AnswerTimersOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly answers: () => RunningAnswer[];
  readonly flush: (answer: RunningAnswer) => void;
}

export class AnswerTimers {
  readonly #options: AnswerTimersOptions;
  #cancel: (() => void) | null = null;
  #isChecking = false;

  constructor(options: AnswerTimersOptions) {
    this.#options = options;
  }

  /** May be called again. */
  start(): void {
    if (this.#cancel !== null) return;
    const { clock, background } = this.#options;
    const cancel = [
      clock.every(RENEW_MS, () => background.run('renew idempotency keys', () => this.#renew())),
      clock.every(FLUSH_MS, () => this.#flush()),
      clock.every(CANCEL_CHECK_MS, () =>
        background.run('look for cancelled responses', () => this.#checkCancelled()),
      ),
    ];
    this.#cancel = () => {
      for (const each of cancel) each();
    };
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  async #renew(): Promise<void> {
    const { db, clock, answers } = this.#options;
    await renewClaims(db, answers(), clock.now() + CALL_LEASE_MS);
  }

  #flush(): void {
    const { answers, flush } = this.#options;
    for (const answer of answers()) if (answer.streamed && answer.unflushed) flush(answer);
  }

  async #checkCancelled(): Promise<void> {
    const { db, answers } = this.#options;
    const running = answers().filter(({ background, stopped, ended }) => background && !stopped && !ended);
    // A database that does not answer must not get more and more questions.
    if (running.length === 0 || this.#isChecking) return;
    this.#isChecking = true;
    try {
      const cancelled = await findCancelRequests(db, running);
      for (const answer of running) if (cancelled.has(answer.callId)) answer.stop(responseCancelled());
    } finally {
      this.#isChecking = false;
    }
  }
}
