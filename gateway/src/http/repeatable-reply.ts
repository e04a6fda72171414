/** The reply to the first request with an Idempotency-Key: what is sent is also kept, and a disconnect does not end the call. */
import type { CallReply, KeptReply, ReplyHeaders, WholeReply } from '../calls/call-reply.ts';
import type { RepeatableCalls } from '../idempotency/repeatable-calls.ts';
import type { RunningAnswer } from '../idempotency/running-answer.ts';
import type { Problem } from '../kernel/problem.ts';
import type { CallRecord } from '../metering/call-record.ts';
import type { HttpCallReply } from './http-call-reply.ts';

export class RepeatableReply implements CallReply, KeptReply {
  readonly #http: HttpCallReply;
  readonly #answer: RunningAnswer;
  readonly #calls: RepeatableCalls;
  #drainListener: (() => void) | null = null;
  #writeFailure: ((problem: Problem) => string) | null = null;
  /** The stored end of a stream. */
  #end: string | null = null;
  #isCharged = false;
  /** The caller reads more slowly than events arrive. */
  #isCallerBehind = false;
  /** The answer is stored. */
  held = false;

  constructor(http: HttpCallReply, answer: RunningAnswer, calls: RepeatableCalls) {
    this.#http = http;
    this.#answer = answer;
    this.#calls = calls;
    // A call that waited for its caller continues without it.
    http.onGone(() => this.#callerReady());
    http.onDrain(() => this.#callerReady());
    answer.onRoom(() => this.#resume());
    http.onStop((problem) => answer.stop(problem));
    // Nobody gets the end of an answer that is not charged.
    http.onFail((problem) => (this.#isCharged ? this.#end : null) ?? this.#failure(problem));
  }

  get kept(): KeptReply {
    return this;
  }

  get gone(): boolean {
    return this.#answer.stopped !== null;
  }

  get stopped(): Problem | null {
    return this.#answer.stopped;
  }

  onGone(listener: () => void): void {
    this.#answer.onStop(listener);
  }

  onHead(headers: () => ReplyHeaders): void {
    this.#http.onHead(headers);
  }

  onDrain(listener: () => void): void {
    this.#drainListener = listener;
  }

  #callerReady(): void {
    this.#isCallerBehind = false;
    this.#resume();
  }

  #resume(): void {
    if (!this.#isCallerBehind && !this.#answer.isFull) this.#drainListener?.();
  }

  onFail(write: (problem: Problem) => string): void {
    this.#writeFailure = write;
  }

  /** Not stored: repeats have their own. */
  onSilence(write: () => string): void {
    this.#http.onSilence(write);
  }

  sendWhole(answer: WholeReply): void {
    this.#http.sendWhole(answer);
  }

  startStream(headers: ReplyHeaders): void {
    this.#answer.begin(headers);
    this.#http.startStream(headers);
  }

  write(events: string): boolean {
    this.#isCallerBehind = !this.#http.write(this.#calls.add(this.#answer, events));
    return !this.#isCallerBehind && !this.#answer.isFull;
  }

  endStream(): void {
    this.#http.endStream(this.#end ?? '');
  }

  async storeEnd(events: string, record: CallRecord): Promise<void> {
    this.#end = this.#answer.addEnd(events);
    await this.#store(record);
  }

  async storeWhole({ body, headers }: WholeReply, record: CallRecord): Promise<void> {
    const bytes = typeof body === 'string' ? body : Buffer.concat(body).toString('latin1');
    this.#answer.addWhole(bytes, headers);
    await this.#store(record);
  }

  async #store(record: CallRecord): Promise<void> {
    await this.#calls.hold(this.#answer, record);
    this.held = true;
  }

  charged(): void {
    this.#isCharged = true;
    this.#calls.charged(this.#answer);
  }

  #failure(problem: Problem): string {
    return this.#writeFailure?.(problem) ?? '';
  }
}
