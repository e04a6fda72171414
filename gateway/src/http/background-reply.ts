/** The reply of a background call: everything is kept and nothing is sent. The call ends only if it is cancelled. */
import type { AdmittedCall, CallReply, KeptReply, ReplyHeaders, WholeReply } from '../calls/call-reply.ts';
import type { KeepOutput } from '../calls/keep-output.ts';
import { ANSWER_KEPT_MS } from '../idempotency/claim-call.ts';
import type { RepeatableCalls } from '../idempotency/repeatable-calls.ts';
import type { RunningAnswer } from '../idempotency/running-answer.ts';
import { toByteString } from '../kernel/byte-string.ts';
import { asProblem, type Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { type CallRecord, callRow } from '../metering/call-record.ts';
import type { BackgroundResponses } from '../responses/background-responses.ts';
import { endedResponse } from '../responses/end-background.ts';
import type { Item } from '../responses/read-turn.ts';
import { answerId } from '../text/answer-ids.ts';
import { responsesFormat } from '../text/formats/responses/responses.ts';
import type { AnswerContext } from '../text/text-format.ts';

export interface BackgroundReplyOptions {
  readonly answer: RunningAnswer;
  readonly calls: RepeatableCalls;
  readonly responses: BackgroundResponses;
  readonly clock: Clock;
  /** Keeps the response and answers the request. */
  readonly onAdmitted: (call: AdmittedCall, headers: ReplyHeaders) => Promise<void>;
  /** Includes the long texts that are kept outside of a large body. */
  readonly expand: <Value>(value: Value) => Value;
}

export class BackgroundReply implements CallReply, KeptReply {
  readonly #options: BackgroundReplyOptions;
  readonly #answer: RunningAnswer;
  #headers: () => ReplyHeaders = () => ({});
  #context: AnswerContext<unknown> | null = null;
  #writeFailure: ((problem: Problem) => string) | null = null;
  /** The whole answer, if there is one. */
  #complete: Item | null = null;
  #isEnding = false;

  constructor(options: BackgroundReplyOptions) {
    this.#options = options;
    this.#answer = options.answer;
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

  /** The response is kept, and the caller has its id. */
  get begun(): boolean {
    return this.#answer.background;
  }

  /** Remembers the answer, which is stored with its charge. */
  readonly keep: KeepOutput = ({ output, head }) => {
    this.#complete = { ...this.#options.expand(head), output };
    return Promise.resolve(true);
  };

  async admitted(call: AdmittedCall): Promise<void> {
    this.#context = call.context;
    await this.#options.onAdmitted(call, this.#headers());
    this.#answer.background = true;
    this.#answer.begin({});
  }

  onGone(listener: () => void): void {
    this.#answer.onStop(listener);
  }

  onHead(headers: () => ReplyHeaders): void {
    this.#headers = headers;
  }

  /** It waits for the store, and never for a reader. */
  onDrain(listener: () => void): void {
    const answer = this.#answer;
    answer.onRoom(() => {
      if (!answer.isFull) listener();
    });
  }

  onFail(write: (problem: Problem) => string): void {
    this.#writeFailure = write;
  }

  /** Nobody waits, so a silent stream needs no events. */
  onSilence(): void {}

  startStream(): void {}

  endStream(): void {}

  sendWhole(): void {}

  write(events: string): boolean {
    this.#options.calls.add(this.#answer, events);
    return !this.#answer.isFull;
  }

  async storeEnd(events: string, record: CallRecord): Promise<void> {
    await this.#end(events, this.#complete ?? lastResponse(events), record);
  }

  async storeWhole({ body }: WholeReply, record: CallRecord): Promise<void> {
    const text = typeof body === 'string' ? Buffer.from(body, 'latin1') : Buffer.concat(body);
    await this.#end('', this.#complete ?? (JSON.parse(text.toString('utf8')) as Item), record);
  }

  /** Stores the end of the response with the record of its charge. Null: nothing was produced. */
  async #end(events: string, response: Item, record: CallRecord | null): Promise<void> {
    const { calls, responses, clock, expand } = this.#options;
    const answer = this.#answer;
    this.#isEnding = true;
    if (events !== '') answer.addEnd(events);
    const { spaceId, callId, overflowed, scope } = answer;
    await responses.end(
      {
        spaceId,
        callId,
        bytes: answer.bytes,
        head: '{}',
        expiresAt: clock.now() + ANSWER_KEPT_MS,
        state: overflowed ? 'not_kept' : 'answered',
        charge: record === null ? null : callRow(record),
        free: record === null,
        parts: overflowed ? [] : answer.restParts(),
      },
      scope.owner,
      endedResponse(answerId('resp', callId), expand(response)),
    );
    calls.stored(answer);
  }

  charged(): void {
    this.#options.calls.charged(this.#answer);
  }

  /** The call ended without an answer. Never throws: nobody waits. */
  async fail(error: unknown): Promise<void> {
    const { calls } = this.#options;
    const answer = this.#answer;
    if (answer.ended) return;
    try {
      // If its end could not be stored, another process declares it.
      if (this.#isEnding || this.#context === null) throw error;
      const problem = answer.stopped ?? asProblem(error);
      const events = this.#failure(problem, this.#context);
      await this.#end(events, lastResponse(events), null);
      this.charged();
    } catch (problem) {
      await calls.fail(answer, problem, true);
    }
  }

  #failure(problem: Problem, context: AnswerContext<unknown>): string {
    if (this.#writeFailure !== null) return this.#writeFailure(problem);
    const writer = responsesFormat.writeStream(context as Parameters<typeof responsesFormat.writeStream>[0]);
    return toByteString(writer.failure(problem, context.callId));
  }
}

/** The response object in the last event. */
function lastResponse(events: string): Item {
  const from = events.lastIndexOf('\ndata: ') + '\ndata: '.length;
  const data = Buffer.from(events.slice(from), 'latin1').toString('utf8');
  return (JSON.parse(data) as { response: Item }).response;
}
