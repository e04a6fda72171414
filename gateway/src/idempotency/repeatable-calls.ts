/**
 * Runs a call with an Idempotency-Key once. The first request claims the key; repeats get its answer. The order of the end
 * makes that exact: the answer is stored together with the record of its charge, then the call is charged, then the last
 * byte is sent. A stored answer whose process died is charged by the process that finds it: a charge has the id of its call,
 * so a second one changes nothing. A claim whose process died without storing an answer was not charged and runs again.
 */
import type { Database } from '../database/database.ts';
import { readAgain } from '../database/deadlines.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import { asProblem, type Problem } from '../kernel/problem.ts';
import type { Running } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { ByteLease } from '../memory/byte-budget.ts';
import { type CallRecord, callRow } from '../metering/call-record.ts';
import type { CallRecorder } from '../metering/call-recorder.ts';
import { AnswerShares } from './answer-shares.ts';
import { AnswerSweep } from './answer-sweep.ts';
import { AnswerTimers } from './answer-timers.ts';
import { KeptAnswerWriter } from './answer-writer.ts';
import { ANSWER_KEPT_MS, type ClaimRequest, claimFor, isFree, takeOver } from './claim-call.ts';
import { type AnswerPiece, type Begun, type Following, followAnswer } from './follow-answer.ts';
import { isDecided, writeOutcome } from './outcome.ts';
import {
  answerNotKept,
  backgroundStopped,
  eventsNotKept,
  keyConflict,
  keyInFlight,
  rejectedBefore,
  responseCancelled,
  stoppedProblem,
} from './repeat-problems.ts';
import {
  findByCall,
  findRepeatable,
  type NamedCall,
  type RepeatableRow,
  type RepeatableScope,
  releaseCall,
} from './repeatable-calls.store.ts';
import { RunningAnswer } from './running-answer.ts';

/** Between our claim and our lookup the key may be released, and then claimed by another request. */
const CLAIMS_TRIED_MAX = 5;

export interface RepeatableCallsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly recorder: Pick<CallRecorder, 'record' | 'recordRow'>;
  readonly background: BackgroundTasks;
  readonly onRepeat?: (how: 'replayed' | 'joined' | 'resumed') => void;
  readonly onSweepFailed?: (error: unknown) => void;
}

/** `callId` is the id of this request, and of the call if it is the first. */
export interface RepeatableRequest extends ClaimRequest {
  /** Its share of the memory budget of its key and space. */
  readonly lease: ByteLease;
}

export class RepeatableCalls implements Running {
  readonly #options: RepeatableCallsOptions;
  readonly #writer: KeptAnswerWriter;
  readonly #sweep: AnswerSweep;
  /** The calls that this process runs, by their scope. */
  readonly #running = new Map<string, RunningAnswer>();
  readonly #timers: AnswerTimers;
  readonly #shares = new AnswerShares();
  #recover: (call: NamedCall) => Promise<void> = () => Promise.resolve();

  constructor(options: RepeatableCallsOptions) {
    this.#options = options;
    this.#writer = new KeptAnswerWriter(options);
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

  /** Charges what processes left behind when they died, and deletes what has expired. */
  async runOnce(): Promise<void> {
    await this.#sweep.runOnce();
  }

  /** Ends the running calls, because the process stops. What was produced is charged and kept, with an error as its end. */
  cut(): void {
    for (const answer of this.#running.values())
      answer.stop(answer.background ? backgroundStopped() : stoppedProblem());
  }

  /** Sets what declares the end of a background call whose process died. */
  onLost(recover: (call: NamedCall) => Promise<void>): void {
    this.#recover = recover;
  }

  /** Ends a background call of this process at once. */
  cancel(callId: string): void {
    for (const answer of this.#running.values())
      if (answer.callId === callId && answer.background) answer.stop(responseCancelled());
  }

  repeated(how: 'replayed' | 'joined' | 'resumed'): void {
    this.#options.onRepeat?.(how);
  }

  /** Claims the key, or finds the call that has it. Throws what a repeat gets instead of an answer. */
  async begin(request: RepeatableRequest): Promise<Begun> {
    const { db, clock } = this.#options;
    for (let tried = 0; tried < CLAIMS_TRIED_MAX; tried++) {
      const here = this.#running.get(nameOf(request.scope));
      if (here !== undefined) return { kind: 'joined', answer: sameRequest(here, request) };
      const now = clock.now();
      if (await available(() => claimFor(db, request, now))) return this.#first(request);
      const row = await available(() => findRepeatable(db, request.scope));
      if (row === null) continue;
      // The answer to our claim was lost.
      if (row.callId === request.callId) return this.#first(request);
      if (await available(() => isFree(db, request.scope, row, now))) {
        if (await available(() => takeOver(db, request, { lapsed: row.callId, now })))
          return this.#first(request);
        continue;
      }
      return await this.#found(sameRequest(row, request), request.scope, now);
    }
    throw keyInFlight();
  }

  /** The call that has the key; null if there is none, or if its process died before anything was charged. */
  async find(request: RepeatableRequest): Promise<Begun | null> {
    const { db, clock } = this.#options;
    const { scope } = request;
    const here = this.#running.get(nameOf(scope));
    if (here !== undefined) return { kind: 'joined', answer: sameRequest(here, request) };
    const row = await available(() => findRepeatable(db, scope));
    const now = clock.now();
    if (row === null || (await available(() => isFree(db, scope, row, now)))) return null;
    return await this.#found(sameRequest(row, request), scope, now);
  }

  /** The stream of a call, by its id; null if there is none that its owner can follow. */
  async findStream(
    of: Omit<RepeatableScope, 'key'> & { callId: string },
  ): Promise<{ begun: Begun; scope: RepeatableScope } | null> {
    const { db, clock } = this.#options;
    const row = await available(() => findByCall(db, of));
    const now = clock.now();
    if (row === null || !row.streamed || row.state === 'rejected') return null;
    const { spaceId, owner, operation } = of;
    const scope = { spaceId, owner, operation, key: row.key };
    const here = this.#running.get(nameOf(scope));
    // If another process has declared the end of a call that runs here, its end counts.
    if (here?.callId === of.callId && row.state === 'running')
      return { begun: { kind: 'joined', answer: here }, scope };
    if (await available(() => isFree(db, scope, row, now))) return null;
    return { begun: await this.#found(row, scope, now), scope };
  }

  /** The answer of a call, for a repeat. */
  follow(begun: Begun, following: Following): AsyncGenerator<AnswerPiece> {
    return followAnswer(begun, following, { ...this.#options, recover: this.#recover });
  }

  #first({ scope, digest, callId, streamed, lease }: RepeatableRequest): Begun {
    const memory = this.#shares.open(lease);
    const answer = new RunningAnswer({ scope, digest, callId, streamed, memory });
    this.#running.set(nameOf(scope), answer);
    this.#timers.start();
    return { kind: 'first', answer };
  }

  async #found(row: RepeatableRow, scope: RepeatableScope, now: number): Promise<Begun> {
    const { state, callId, leaseUntil, head } = row;
    if (state === 'rejected') throw rejectedBefore(head ?? '');
    if (state === 'running' || (!row.charged && leaseUntil > now)) return { kind: 'elsewhere', row };
    if (state === 'not_kept') throw row.background ? eventsNotKept() : answerNotKept(callId);
    if (row.charge !== null) await this.#sweep.charge({ spaceId: scope.spaceId, callId, charge: row.charge });
    return { kind: 'stored', row };
  }

  /** Stores an answer before it is charged. Throws if it must not be charged: another request has the key now. */
  async hold(answer: RunningAnswer, record: CallRecord): Promise<void> {
    const { spaceId, callId, overflowed: lost, bytes } = answer;
    const kept = await this.#writer.decide({
      spaceId,
      callId,
      bytes,
      expiresAt: this.#options.clock.now() + ANSWER_KEPT_MS,
      state: lost ? 'not_kept' : 'answered',
      head: JSON.stringify(answer.headers ?? {}),
      charge: lost ? null : callRow(record),
      parts: lost ? [] : answer.restParts(),
    });
    if (!kept) throw keyInFlight();
    this.stored(answer);
  }

  /** Charges a stored answer. */
  async charge(of: NamedCall & { charge: string }): Promise<void> {
    await this.#sweep.charge(of);
  }

  /** An answer is stored: it counts in the quota of its space. */
  stored({ spaceId, bytes }: RunningAnswer): void {
    this.#sweep.stored(spaceId, bytes);
  }

  /** The answer is charged: repeats may have it. */
  charged(answer: RunningAnswer): void {
    const notKept = answer.background ? eventsNotKept() : answerNotKept(answer.callId);
    answer.end(answer.overflowed ? notKept : null);
    this.#options.background.run('mark a charged answer', () =>
      this.#writer.charged(answer).finally(() => this.#leave(answer)),
    );
  }

  /**
   * The call ended without a charge. Stores an error that the same request would get again; releases the key after any
   * other. Never throws, because the caller has an error of its own to report.
   */
  async fail(answer: RunningAnswer, error: unknown, held: boolean): Promise<void> {
    const problem = asProblem(error);
    answer.end(problem);
    try {
      // An answer that is stored but could not be charged keeps its key: it is charged when the lease has ended.
      if (!held) await this.#decline(answer, problem);
    } catch {
      // The lease ends, and the key is free.
    } finally {
      this.#leave(answer);
    }
  }

  async #decline(answer: RunningAnswer, problem: Problem): Promise<void> {
    const { spaceId, callId } = answer;
    // Without an Idempotency-Key nobody can send a background call again.
    if (!isDecided(problem) || answer.scope.key === callId) {
      await releaseCall(this.#options.db, { spaceId, callId });
      return;
    }
    await this.#writer.decide({
      spaceId,
      callId,
      bytes: 0,
      charge: null,
      parts: [],
      state: 'rejected',
      head: writeOutcome({ problem }),
      expiresAt: this.#options.clock.now() + ANSWER_KEPT_MS,
    });
  }

  #leave(answer: RunningAnswer): void {
    const name = nameOf(answer.scope);
    if (this.#running.get(name) === answer) this.#running.delete(name);
    answer.close();
    if (this.#running.size === 0) this.#timers.stop();
  }

  /** Adds events to an answer, and stores many of them at once. Returns them with their ids. */
  add(answer: RunningAnswer, events: string): string {
    const numbered = answer.add(events);
    this.#writer.flushMany(answer);
    return numbered;
  }
}

/** What is done here may be done twice. */
function available<T>(work: () => Promise<T>): Promise<T> {
  return whenAvailable(() => readAgain(work));
}

function nameOf({ spaceId, owner, operation, key }: RepeatableScope): string {
  return `${spaceId} ${owner} ${operation} ${key}`;
}

function sameRequest<Of extends { readonly digest: string }>(found: Of, { digest }: RepeatableRequest): Of {
  if (found.digest !== digest) throw keyConflict();
  return found;
}
