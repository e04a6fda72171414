/**
 * Background responses. A response is kept from its start, as running; its end is stored in one transaction with the record
 * of its charge, by the process that runs the call, or by another one if that process died. So it has one end and one charge.
 *
 * Does not own running the call (`calls/`), nor its events and its claim (`idempotency/`).
 */
import { ownerScope, type Principal } from '../access/principal.ts';
import { readAgain } from '../database/deadlines.ts';
import { GroupWriter } from '../database/group-writer.ts';
import {
  deleteParts,
  findBackgroundCall,
  findLostCalls,
  lockOwnCall,
  markBackground,
  requestCancel,
  takeLostCall,
} from '../idempotency/background-calls.store.ts';
import { keyInFlight, responseCancelled, responseLost } from '../idempotency/repeat-problems.ts';
import {
  type DecidedCall,
  decideCalls,
  findParts,
  type NamedCall,
} from '../idempotency/repeatable-calls.store.ts';
import type { RepeatableCalls } from '../idempotency/repeatable-calls.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { Problem, STORAGE_UNAVAILABLE } from '../kernel/problem.ts';
import type { Running } from '../kernel/running.ts';
import { Sweeper } from '../kernel/sweeper.ts';
import { pause } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
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

/** How often processes look for responses whose process died. */
const SWEEP_MS = 5_000;
const SWEEP_ROWS_MAX = 100;
/** How long the end of a response waits for the database; after that it is declared as lost. */
const END_WAIT_MS = 10_000;
const STOP_MS_MAX = 5_000;
/** How long a reader waits for the charge of a response that has ended. */
const SETTLE_WAIT_MS = 10_000;
const SETTLE_CHECK_MS = 20;

export interface BackgroundResponsesOptions extends PrepareResponseTools {
  readonly limits: PrepareResponseTools['limits'] & { readonly spaceBytesMax: number };
  readonly calls: RepeatableCalls;
  readonly recordLost: RecordLost;
  readonly onSweepFailed?: (error: unknown) => void;
}

/** The end of a call and of its response. */
interface Ending {
  readonly call: DecidedCall;
  readonly owner: string;
  readonly response: EndedResponse;
  /** Set by the write: another process has declared the end. */
  lost: boolean;
}

export class BackgroundResponses implements Running {
  readonly #options: BackgroundResponsesOptions;
  readonly #ends: GroupWriter<Ending>;
  readonly #sweeper: Sweeper;

  constructor(options: BackgroundResponsesOptions) {
    const { db, clock, calls, onSweepFailed } = options;
    this.#options = options;
    this.#ends = new GroupWriter<Ending>({
      clock,
      rowsMax: 1,
      laneOf: ({ call }) => call.spaceId,
      write: async ([ending]) => {
        if (ending !== undefined) ending.lost = !(await this.#writeEnd(ending, 'own'));
      },
      resend: { waitMsMax: END_WAIT_MS, afterwards: 'drop' },
      rejection: (cause) => new Problem('service_unavailable', { ...STORAGE_UNAVAILABLE, cause }),
    });
    this.#sweeper = new Sweeper({
      clock,
      everyMs: SWEEP_MS,
      atStart: 'in background',
      sweep: async () => {
        const lost = await findLostCalls(db, clock.now(), SWEEP_ROWS_MAX);
        // One that cannot be ended must not keep the others from their end.
        let failures = 0;
        for (const call of lost)
          await this.recover(call).catch((error: unknown) => {
            failures++;
            onSweepFailed?.(error);
          });
        return failures === 0 && lost.length === SWEEP_ROWS_MAX;
      },
      ...(onSweepFailed && { onTrouble: onSweepFailed }),
    });
    calls.onLost((call) => this.recover(call));
  }

  async start(): Promise<void> {
    await this.#sweeper.start();
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop();
    await this.#ends.stop(STOP_MS_MAX);
  }

  /** Declares the end of responses whose process died. */
  async runOnce(): Promise<void> {
    await this.#sweeper.runOnce();
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
  async end(call: DecidedCall, owner: string, response: EndedResponse): Promise<void> {
    const ending = { call, owner, response, lost: false };
    await this.#ends.add(ending);
    if (ending.lost) throw responseLost();
  }

  /** True if the end is stored; false if it was not ours to store. */
  async #writeEnd({ call, owner, response }: Ending, whose: 'own' | 'lost'): Promise<boolean> {
    const { db, clock, limits } = this.#options;
    const of = { id: response.id, spaceId: call.spaceId, owner };
    const prepared =
      (await prepareEnd({ ...of, ...response }, this.#options)) ??
      (await this.#prepareSmall({ ...of, ...tooLargeEnd(response, call.callId, limits) }));
    const state = stateOf(JSON.parse(prepared.head) as EndedResponse['head']);
    return await db.transaction(
      async (tx) => {
        const held =
          whose === 'own' ? await lockOwnCall(tx, call) : await takeLostCall(tx, call, clock.now());
        if (!held || !(await decideCalls(tx, [call])).has(call.callId)) return false;
        if (call.state === 'not_kept') await deleteParts(tx, call);
        const itemIds = state === null ? prepared.itemIds : [];
        await endResponseIn(tx, { ...prepared, itemIds, state }, limits.spaceBytesMax);
        return true;
      },
      { timeoutMs: WRITE_MS_MAX },
    );
  }

  /** An end without an answer is always kept: its head was kept at the start. */
  async #prepareSmall(response: Parameters<typeof prepareEnd>[0]): Promise<PreparedEnd> {
    const unlimited = { ...this.#options, limits: { responseBytesMax: Number.POSITIVE_INFINITY } };
    return (await prepareEnd(response, unlimited)) as PreparedEnd;
  }

  /** Asks the process that runs a call to end it. */
  async cancel(call: NamedCall): Promise<void> {
    const { db, calls } = this.#options;
    await whenAvailable(() => requestCancel(db, call));
    calls.cancel(call.callId);
  }

  /** Resolves when the end of a response is charged; false if that takes too long. */
  async settled(call: NamedCall): Promise<boolean> {
    const { db, clock, calls } = this.#options;
    const untilMs = clock.elapsedMs() + SETTLE_WAIT_MS;
    for (;;) {
      const found = await whenAvailable(() => findBackgroundCall(db, call, clock.now()));
      if (found === null || found.charged) return true;
      if (found.lapsed && found.charge !== null) await calls.charge({ ...call, charge: found.charge });
      if (clock.elapsedMs() > untilMs) return false;
      await pause(clock, SETTLE_CHECK_MS);
    }
  }

  /** Declares the end of a response if the process that ran it died. */
  async recover({ spaceId, callId }: NamedCall): Promise<void> {
    const { db, clock, calls, recordLost } = this.#options;
    const named = { spaceId, callId };
    const call = await whenAvailable(() => findBackgroundCall(db, named, clock.now()));
    if (call?.runs) return;
    const response = { id: answerId('resp', callId), spaceId };
    const kept = await whenAvailable(() => findRunningResponse(db, response));
    const problem = call?.cancel ? responseCancelled() : responseLost();
    const parts = await whenAvailable(() => findParts(db, named, { after: 0, stored: true }));
    const lost = await recordLost({ ...named, facts: call?.facts ?? null, problem, parts });
    const head = JSON.parse(kept?.head ?? '{}') as EndedResponse['head'];
    const { ended, decided } = lostEnd(
      { ...named, id: response.id, head, problem, parts, ...lost },
      clock.now(),
    );
    if (call === null) {
      if (kept !== null) await whenAvailable(() => this.#endAlone(spaceId, kept.owner, ended));
      return;
    }
    const ending = { call: decided, owner: kept?.owner ?? '', response: ended, lost: false };
    const declared = await whenAvailable(() => this.#writeEnd(ending, 'lost'));
    if (declared && decided.charge !== null) await calls.charge({ ...named, charge: decided.charge });
  }

  /** The row of the call is gone, so nothing can be charged. */
  async #endAlone(spaceId: string, owner: string, { id, head, output }: EndedResponse): Promise<void> {
    const { db, limits } = this.#options;
    const prepared = await this.#prepareSmall({ id, spaceId, owner, head, output });
    await db.transaction((tx) =>
      endResponseIn(tx, { ...prepared, itemIds: [], state: stateOf(head) }, limits.spaceBytesMax),
    );
  }
}

function tooLargeToKeep(bytesMax: number): Problem {
  return new Problem('request_too_large', {
    detail: `The input of a background response is kept, and must not have more than ${bytesMax} bytes without its media.`,
    param: 'input',
  });
}
