/**
 * Runs a call once and stores its answer: for requests with an Idempotency-Key, and for calls in the background. The first
 * request claims the key; others get its answer. The order of the end makes that exact: the answer is stored together with
 * the record of its charge, then the call is charged, then the last byte is sent. A stored answer whose process died is
 * charged by the process that finds it: a charge has the id of its call, so a second one changes nothing. A claim whose
 * process died without storing an answer was not charged and runs again; a background call is never run again, so another
 * process declares its end.
 */
import { readAgain } from '../database/deadlines.ts';
import { asProblem, type Problem } from '../kernel/problem.ts';
import type { Running } from '../kernel/running.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { ByteLease } from '../memory/byte-budget.ts';
import { type CallRecord, callRow } from '../metering/call-record.ts';
import {
  callStopped,
  keyConflict,
  keyInFlight,
  notKept,
  rejectedBefore,
  responseCancelled,
  responseLost,
} from './answer-problems.ts';
import { AnswerShares } from './answer-shares.ts';
import { AnswerSweep, type AnswerSweepOptions, type DeclareLost } from './answer-sweep.ts';
import { AnswerTimers } from './answer-timers.ts';
import { type Alongside, StoredAnswerWriter } from './answer-writer.ts';
import {
  claimAnswer,
  findByCall,
  findByKey,
  type NewClaim,
  releaseAnswer,
  removeFree,
  requestCancel,
} from './answers.store.ts';
import { type AnswerPiece, type Begun, type Following, followAnswer } from './follow-answer.ts';
import { isDecided, writeOutcome } from './outcome.ts';
import { RunningAnswer } from './running-answer.ts';
import {
  ANSWER_KEPT_MS,
  type AnswerScope,
  CALL_LEASE_MS,
  type EndedAnswer,
  type NamedCall,
  rejectedAnswer,
  type StoredAnswer,
  standingOf,
} from './stored-answer.ts';

/** Between our claim and our lookup the key may be released, and then claimed by another request. */
const CLAIMS_TRIED_MAX = 5;

export interface StoredAnswersOptions extends Omit<AnswerSweepOptions, 'writer'> {
  readonly onRepeat: (how: 'replayed' | 'joined' | 'resumed') => void;
}

/** `callId` is the id of this request, and of the call if it is the first. */
export interface AnswerRequest extends NewClaim {
  /** Its share of the memory budget of its key and space. */
  readonly lease: ByteLease;
}

export class StoredAnswers implements Running {
  readonly #options: StoredAnswersOptions;
  readonly #writer: StoredAnswerWriter;
  readonly #sweep: AnswerSweep;
  /** The calls that this process runs, by their scope. */
  readonly #running = new Map<string, RunningAnswer>();
  readonly #timers: AnswerTimers;
  readonly #shares = new AnswerShares();

  constructor(options: StoredAnswersOptions) {
    this.#options = options;
    this.#writer = new StoredAnswerWriter(options);
    this.#sweep = new AnswerSweep({ ...options, writer: this.#writer });
    this.#timers = new AnswerTimers({
      ...options,
      answers: () => [...this.#running.values()],
      flush: (answer) => this.#writer.flush(answer),
    });
  }

  get running(): number {
    return this.#running.size;
  }

  get heldBytes(): number {
    return this.#shares.held;
  }

  async start(): Promise<void> {
    await this.#sweep.start();
  }

  async stop(): Promise<void> {
    await this.#sweep.stop();
    this.#timers.stop();
    await this.#writer.stop();
  }

  /** Ends and charges what processes left behind when they died, and deletes what has expired. */
  async runOnce(): Promise<void> {
    await this.#sweep.runOnce();
  }

  /** Ends the running calls, because the process stops. What was produced is charged and kept, with an error as its end. */
  cut(): void {
    for (const answer of this.#running.values()) answer.stop(callStopped(answer));
  }

  /** Sets what declares the end of a background call whose process died. */
  onLost(declare: DeclareLost): void {
    this.#sweep.declareLost = declare;
  }

  repeated(how: 'replayed' | 'joined' | 'resumed'): void {
    this.#options.onRepeat(how);
  }

  /** Claims the key, or finds the call that has it. Throws what a repeat gets instead of an answer. */
  async begin(request: AnswerRequest): Promise<Begun> {
    const { db, clock } = this.#options;
    for (let tried = 0; tried < CLAIMS_TRIED_MAX; tried++) {
      const here = this.#running.get(nameOf(request.scope));
      if (here !== undefined) return { kind: 'joined', answer: sameRequest(here, request) };
      const now = clock.now();
      const times = { now, leaseUntil: now + CALL_LEASE_MS, expiresAt: now + ANSWER_KEPT_MS };
      if (await available(() => claimAnswer(db, request, times))) return this.#first(request);
      const found = await available(() => findByKey(db, request.scope));
      if (found === null) continue;
      // The answer to our claim was lost.
      if (found.callId === request.callId) return this.#first(request);
      if (standingOf(found, now) !== 'free') return await this.#found(sameRequest(found, request), now);
      await available(() => removeFree(db, found, now));
    }
    throw keyInFlight();
  }

  /** The call that has the key; null if there is none, or if its process died before anything was charged. */
  async find(request: AnswerRequest): Promise<Begun | null> {
    const { db, clock } = this.#options;
    const here = this.#running.get(nameOf(request.scope));
    if (here !== undefined) return { kind: 'joined', answer: sameRequest(here, request) };
    const found = await available(() => findByKey(db, request.scope));
    const now = clock.now();
    if (found === null || standingOf(found, now) === 'free') return null;
    return await this.#found(sameRequest(found, request), now);
  }

  /** The stream of a call, by its id; null if there is none that its owner can follow. */
  async findStream({
    owner,
    operation,
    ...call
  }: Omit<AnswerScope, 'key'> & NamedCall): Promise<Begun | null> {
    const { db, clock } = this.#options;
    const found = await available(() => findByCall(db, call));
    const now = clock.now();
    if (found === null || found.owner !== owner || found.operation !== operation) return null;
    if (!found.streamed || found.state === 'rejected') return null;
    const here = this.#running.get(nameOf(found));
    // If another process has declared the end of a call that runs here, its end counts.
    if (here?.callId === found.callId && found.state === 'running') return { kind: 'joined', answer: here };
    return standingOf(found, now) === 'free' ? null : await this.#found(found, now);
  }

  #first({ lease, ...of }: AnswerRequest): Begun {
    const answer = new RunningAnswer({ ...of, memory: this.#shares.open(lease) });
    this.#running.set(nameOf(of.scope), answer);
    this.#timers.start();
    return { kind: 'first', answer };
  }

  async #found(answer: StoredAnswer, now: number): Promise<Begun> {
    const { head, charge } = answer;
    switch (standingOf(answer, now)) {
      case 'rejected':
        throw rejectedBefore(head ?? '');
      case 'running':
        return { kind: 'elsewhere', answer };
      case 'not_kept':
        throw notKept(answer);
      default:
        if (charge !== null) await this.#sweep.charge({ ...answer, charge });
        return { kind: 'stored', answer };
    }
  }

  /** The pieces of an answer, from an event on. */
  follow(begun: Begun, following: Following): AsyncGenerator<AnswerPiece> {
    return followAnswer(begun, following, { ...this.#options, recover: (call) => this.recover(call) });
  }

  /** Adds events to an answer, and stores many of them at once. Returns them with their ids. */
  add(answer: RunningAnswer, events: string): string {
    const numbered = answer.add(events);
    this.#writer.flushMany(answer);
    return numbered;
  }

  /**
   * Stores an answer before it is charged; null: it is free. Throws if it must not be charged: another request has the key
   * now, or another process has declared its end.
   */
  async store(
    answer: RunningAnswer,
    record: CallRecord | null,
    alongside: Alongside | null = null,
  ): Promise<void> {
    const { spaceId, callId, overflowed, background, bytes } = answer;
    const ended: EndedAnswer = {
      spaceId,
      callId,
      bytes,
      state: overflowed ? 'not_kept' : 'answered',
      head: JSON.stringify(answer.headers ?? {}),
      // What runs again if nothing was charged must not be charged later.
      charge: record === null || (overflowed && !background) ? null : callRow(record),
      free: record === null,
      parts: overflowed ? [] : answer.restParts(),
      expiresAt: this.#options.clock.now() + ANSWER_KEPT_MS,
    };
    if (!(await this.#writer.end(ended, alongside))) throw background ? responseLost() : keyInFlight();
    answer.isEndStored = true;
    this.#sweep.stored(spaceId, answer.bytes);
  }

  /** The answer is charged: repeats may have it. */
  charged(answer: RunningAnswer): void {
    answer.end(answer.overflowed ? notKept(answer) : null);
    this.#options.background.run('mark a charged answer', () =>
      this.#writer.charged(answer).finally(() => this.#leave(answer)),
    );
  }

  /**
   * The call ended without a charge. Stores an error that the same request would get again; releases the key after any
   * other. Never throws, because the caller has an error of its own to report.
   */
  async fail(answer: RunningAnswer, error: unknown): Promise<void> {
    const problem = asProblem(error);
    answer.end(problem);
    try {
      // An answer that is stored but could not be charged keeps its key: it is charged when the lease has ended. Another
      // process declares the end of a background call.
      if (!answer.isEndStored && !answer.background) await this.#decline(answer, problem);
    } catch {
      // The lease ends, and the key is free.
    } finally {
      this.#leave(answer);
    }
  }

  async #decline({ spaceId, callId, scope }: RunningAnswer, problem: Problem): Promise<void> {
    const { db, clock } = this.#options;
    // Without an Idempotency-Key nobody can send a background call again.
    if (!isDecided(problem) || scope.key === callId) return await releaseAnswer(db, { spaceId, callId });
    await this.#writer.end(rejectedAnswer({ spaceId, callId }, writeOutcome({ problem }), clock.now()));
  }

  #leave(answer: RunningAnswer): void {
    const name = nameOf(answer.scope);
    if (this.#running.get(name) === answer) this.#running.delete(name);
    answer.close();
    if (this.#running.size === 0) this.#timers.stop();
  }

  /** Ends a background call: at once in this process, else asks the process that runs it. */
  async cancel(call: NamedCall): Promise<void> {
    await whenAvailable(() => requestCancel(this.#options.db, call));
    for (const answer of this.#running.values())
      if (answer.callId === call.callId && answer.background) answer.stop(responseCancelled());
  }

  /** Resolves when a background call that has ended is charged; false if that takes too long. */
  async settled(call: NamedCall): Promise<boolean> {
    return await this.#sweep.settled(call);
  }

  /** Declares the end of a background call if the process that ran it died. */
  async recover(call: NamedCall): Promise<void> {
    await this.#sweep.recover(call);
  }
}

/** What is done here may be done twice. */
function available<T>(work: () => Promise<T>): Promise<T> {
  return whenAvailable(() => readAgain(work));
}

function nameOf({ spaceId, owner, operation, key }: AnswerScope): string {
  return `${spaceId} ${owner} ${operation} ${key}`;
}

function sameRequest<Of extends { readonly digest: string }>(found: Of, { digest }: AnswerRequest): Of {
  if (found.digest !== digest) throw keyConflict();
  return found;
}
