/**
 * The rules of background responses. A response is kept from its start, as running; its end is stored in one transaction with
 * the record of its charge, by the process that runs the call, or by another one if that process died. So it has one end and
 * one charge.
 *
 * Does not own running the call (`calls/`), nor its claim, its events and its end (`stored-answers/`).
 */
import { type OwnerScope, ownerScope, type Principal } from '../access/principal.ts';
import { readAgain } from '../database/deadlines.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { Problem } from '../kernel/problem.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { CallRecord } from '../metering/call-record.ts';
import { keyInFlight, responseCancelled, responseLost } from '../stored-answers/answer-problems.ts';
import type { DeclareLost } from '../stored-answers/answer-sweep.ts';
import type { Alongside } from '../stored-answers/answer-writer.ts';
import { markBackground } from '../stored-answers/answers.store.ts';
import type { RunningAnswer } from '../stored-answers/running-answer.ts';
import type { StoredAnswers } from '../stored-answers/stored-answers.ts';
import { answerId } from '../text/answer-ids.ts';
import { type EndedResponse, lostEnd, type RecordLost, stateOf, tooLargeEnd } from './end-background.ts';
import { findRunningResponse } from './kept-responses.store.ts';
import { RESPONSE_KEPT_DAYS } from './kept-responses.ts';
import {
  type PreparedEnd,
  type PrepareResponseTools,
  prepareEnd,
  prepareResponse,
  type ResponseItems,
} from './prepare-response.ts';
import { addResponsesIn, endResponseIn, WRITE_MS_MAX } from './store-responses.ts';

export interface BackgroundResponsesOptions extends PrepareResponseTools {
  readonly limits: PrepareResponseTools['limits'] & { readonly spaceBytesMax: number };
  readonly answers: StoredAnswers;
  readonly recordLost: RecordLost;
}

export class BackgroundResponses {
  readonly #options: BackgroundResponsesOptions;

  constructor(options: BackgroundResponsesOptions) {
    this.#options = options;
    options.answers.onLost(this.#declareLost);
  }

  /** Keeps a response as running. From now on its call is never run again. Throws if it cannot be kept. */
  async begin(
    principal: Principal,
    response: Omit<ResponseItems, 'output'>,
    call: { callId: string; facts: string },
  ): Promise<void> {
    const { db, clock, limits } = this.#options;
    const scope = ownerScope(principal);
    const prepared = await whenAvailable(() =>
      prepareResponse({ ...scope, ...response, output: [] }, this.#options),
    );
    if (prepared === null) throw tooLargeToKeep(limits.responseBytesMax);
    const row = {
      ...prepared,
      expiresAt: clock.now() + RESPONSE_KEPT_DAYS * DAY_MS,
      state: 'running' as const,
    };
    const mark = (): Promise<boolean> =>
      db.transaction(
        async (tx) => {
          if (!(await markBackground(tx, { spaceId: scope.spaceId, ...call }))) return false;
          await addResponsesIn(tx, [row], limits.spaceBytesMax);
          return true;
        },
        { timeoutMs: WRITE_MS_MAX },
      );
    // It may be done twice.
    const marked = await whenAvailable(() => readAgain(mark));
    if (!marked) throw keyInFlight();
  }

  /** Stores the end of a response with the record of its charge. Throws if another process has declared its end. */
  async end(answer: RunningAnswer, record: CallRecord | null, response: EndedResponse): Promise<void> {
    const { answers } = this.#options;
    await answers.store(answer, record, this.#endOf(response, { ...answer.scope, callId: answer.callId }));
  }

  /** What is stored of a response in the transaction that ends its call. */
  #endOf(response: EndedResponse, call: OwnerScope & { callId: string }): Alongside {
    const { limits } = this.#options;
    const of = { id: response.id, spaceId: call.spaceId, owner: call.owner };
    return async () => {
      const prepared =
        (await prepareEnd({ ...of, ...response }, this.#options)) ??
        (await this.#prepareSmall({ ...of, ...tooLargeEnd(response, call.callId, limits) }));
      const state = stateOf(JSON.parse(prepared.head) as EndedResponse['head']);
      const itemIds = state === null ? prepared.itemIds : [];
      return (tx) => endResponseIn(tx, { ...prepared, itemIds, state }, limits.spaceBytesMax);
    };
  }

  /** An end without an answer is always kept: its head was kept at the start. */
  async #prepareSmall(response: Parameters<typeof prepareEnd>[0]): Promise<PreparedEnd> {
    const unlimited = { ...this.#options, limits: { responseBytesMax: Number.POSITIVE_INFINITY } };
    return (await prepareEnd(response, unlimited)) as PreparedEnd;
  }

  readonly #declareLost: DeclareLost = async ({ spaceId, callId, row, parts }) => {
    const { db, clock, recordLost } = this.#options;
    const id = answerId('resp', callId);
    const kept = await whenAvailable(() => findRunningResponse(db, { id, spaceId }));
    const problem = row?.cancel ? responseCancelled() : responseLost();
    const lost = { spaceId, callId, problem, parts };
    const recorded = await recordLost({ ...lost, facts: row?.facts ?? null });
    const head = JSON.parse(kept?.head ?? '{}') as EndedResponse['head'];
    const { response, ended } = lostEnd({ ...lost, ...recorded, id, head }, clock.now());
    return { ended, alongside: this.#endOf(response, { spaceId, callId, owner: kept?.owner ?? '' }) };
  };
}

function tooLargeToKeep(bytesMax: number): Problem {
  return new Problem('request_too_large', {
    detail: `The input of a background response is kept, and must not have more than ${bytesMax} bytes without its media.`,
    param: 'input',
  });
}
