/** The reply to the first request with an Idempotency-Key: what is sent is also kept, and a disconnect does not end the call. */
import type { CallReply, KeptReply, ReplyHeaders, WholeReply } from '../calls/call-reply.ts';
import type { Problem } from '../kernel/problem.ts';
import type { CallRecord } from '../metering/call-record.ts';
import type { RunningAnswer } from '../stored-answers/running-answer.ts';
import type { StoredAnswers } from '../stored-answers/stored-answers.ts';
import type { HttpCallReply } from './http-call-reply.ts';

export class RepeatableReply implements CallReply, KeptReply {
  readonly #http: HttpCallReply;
  readonly #answer: RunningAnswer;
  readonly #answers: StoredAnswers;
  #drainListener: (() => void) | null = null;
  #writeFailure: (problem: Problem) => string = () => '';
  /** The stored end of a stream. */
  #end: string | null = null;
  #isCharged = false;
  /** The caller reads more slowly than events arrive. */
  #isCallerBehind = false;

  constructor(http: HttpCallReply, answer: RunningAnswer, answers: StoredAnswers) {
    this.#http = http;
    this.#answer = answer;
    this.#answers = answers;
    // A call that waited for its caller continues without it.
    http.onGone(() => this.#callerReady());
    http.onDrain(() => this.#callerReady());
    answer.onRoom(() => this.#resume());
    http.onStop((problem) => answer.stop(problem));
    // Nobody gets the end of an answer that is not charged.
    http.onFail((problem) => (this.#isCharged ? this.#end : null) ?? this.#writeFailure(problem));
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
    this.#isCallerBehind = !this.#http.write(this.#answers.add(this.#answer, events));
    return !this.#isCallerBehind && !this.#answer.isFull;
  }

  endStream(): void {
    this.#http.endStream(this.#end ?? '');
  }

  async storeEnd(events: string, record: CallRecord): Promise<void> {
    this.#end = this.#answer.addEnd(events);
    await this.#answers.store(this.#answer, record);
  }

  async storeWhole({ body, headers }: WholeReply, record: CallRecord): Promise<void> {
    const bytes = typeof body === 'string' ? body : Buffer.concat(body).toString('latin1');
    this.#answer.addWhole(bytes, headers);
    await this.#answers.store(this.#answer, record);
  }

  charged(): void {
    this.#isCharged = true;
    this.#answers.charged(this.#answer);
  }
}
