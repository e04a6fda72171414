/**
 * Keeps the items of responses, so that later calls can refer to them instead of sending them again, on every route of
 * every model. What a provider stores is never used: its ids are visible to everybody who shares its account.
 *
 * Keeping never fails a call: the answer is charged, so it is delivered, and says whether it is kept.
 */

import { ownerScope, type Principal } from '../access/principal.ts';
import type { DatabaseOutage } from '../database/database-outage.ts';
import { readAgain } from '../database/deadlines.ts';
import { GroupWriter } from '../database/group-writer.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { Problem } from '../kernel/problem.ts';
import type { Running } from '../kernel/running.ts';
import { Sweeper } from '../kernel/sweeper.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import {
  findChain,
  findExpiredResponses,
  findTurnsWithItems,
  type KeptTurn,
} from './kept-responses.store.ts';
import type { MediaKeeperTools } from './media-keeper.ts';
import { prepareResponse, type ResponseItems } from './prepare-response.ts';
import { type Item, readTurn, type TurnItems } from './read-turn.ts';
import { addResponses, dropResponses, type ResponseToKeep } from './store-responses.ts';

export const RESPONSE_KEPT_DAYS = 30;
/** Limit for the turns of one conversation. */
export const CHAIN_TURNS_MAX = 1_000;
/** How long an answer waits to be stored; after that it is delivered as not kept. */
export const KEEP_WAIT_MS = 10_000;
const GROUP_ROWS_MAX = 100;
const GROUP_BYTES_MAX = 4 * 1024 * 1024;
/** Limit for all answers that wait to be stored; above it, new ones are delivered as not kept. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;
const SWEEP_MS = 10 * 60 * 1000;
const SWEEP_ROWS_MAX = 200;
const STOP_MS_MAX = 5_000;

export type NotKeptReason = 'too_large' | 'not_stored';

export interface KeptResponsesOptions extends MediaKeeperTools {
  readonly limits: {
    /** Limit for one response: its items and its other fields as JSON, without media. */
    readonly responseBytesMax: number;
    /** Limit for all responses of a space, including media; the oldest are deleted to make room. */
    readonly spaceBytesMax: number;
  };
  /** While the database is known not to answer, nothing is kept, so that answers need not wait. */
  readonly outage?: Pick<DatabaseOutage, 'isSuspected' | 'onConfirmed'> | null;
  readonly onNotKept?: (reason: NotKeptReason, error: unknown) => void;
  readonly onSweepFailed?: (error: unknown) => void;
}

export class KeptResponses implements Running {
  readonly #options: KeptResponsesOptions;
  readonly #writer: GroupWriter<ResponseToKeep>;
  readonly #sweeper: Sweeper;

  constructor(options: KeptResponsesOptions) {
    const { db, clock, limits, onSweepFailed } = options;
    this.#options = options;
    this.#writer = new GroupWriter({
      clock,
      write: (rows) => addResponses(db, rows, limits.spaceBytesMax),
      rowsMax: GROUP_ROWS_MAX,
      bytesMax: GROUP_BYTES_MAX,
      waitingBytesMax: WAITING_BYTES_MAX,
      sizeOf: ({ bytes }) => bytes,
      laneOf: ({ spaceId }) => spaceId,
      resend: { waitMsMax: KEEP_WAIT_MS, afterwards: 'drop' },
    });
    this.#sweeper = new Sweeper({
      clock,
      everyMs: SWEEP_MS,
      sweep: async () => {
        const expired = await findExpiredResponses(db, clock.now(), SWEEP_ROWS_MAX);
        if (expired.length > 0) await dropResponses(db, expired);
        return expired.length === SWEEP_ROWS_MAX;
      },
      ...(onSweepFailed && { onTrouble: onSweepFailed }),
    });
  }

  async start(): Promise<void> {
    await this.#sweeper.start();
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop();
    await this.#writer.stop(STOP_MS_MAX);
  }

  /** Deletes what has expired. */
  async runOnce(): Promise<void> {
    await this.#sweeper.runOnce();
  }

  /** Resolves to true if the response is kept and can be referred to. Never rejects. */
  async keep(principal: Principal, response: ResponseItems): Promise<boolean> {
    const { clock, outage, onNotKept } = this.#options;
    if (outage?.isSuspected) {
      onNotKept?.('not_stored', new Error('the database does not answer'));
      return false;
    }
    const late = Promise.withResolvers<never>();
    const stopWaiting = clock.after(KEEP_WAIT_MS, () => late.reject(new Error('it took too long')));
    const stopListening = outage?.onConfirmed((error) => late.reject(error));
    try {
      return await Promise.race([this.#store(principal, response), late.promise]);
    } catch (error) {
      onNotKept?.('not_stored', error);
      return false;
    } finally {
      stopWaiting();
      stopListening?.();
    }
  }

  async #store(principal: Principal, response: ResponseItems): Promise<boolean> {
    const { clock, onNotKept } = this.#options;
    const row = await prepareResponse({ ...ownerScope(principal), ...response }, this.#options);
    if (row === null) {
      onNotKept?.('too_large', null);
      return false;
    }
    await this.#writer.add({ ...row, expiresAt: clock.now() + RESPONSE_KEPT_DAYS * DAY_MS });
    return true;
  }

  /** All items up to the end of a response, oldest first. Throws if they exceed `bytesMax`. */
  async conversation(principal: Principal, responseId: string, bytesMax: number): Promise<Item[]> {
    const { db, clock, limits } = this.#options;
    const at = { ...ownerScope(principal), now: clock.now(), turnsMax: CHAIN_TURNS_MAX };
    const turns = await whenAvailable(() => readAgain(() => findChain(db, responseId, at)), AWAY);
    const [first] = turns;
    if (first === undefined || first.previousId !== null) {
      const { responseBytesMax, spaceBytesMax } = limits;
      throw new Problem('response_not_found', {
        detail:
          turns.length === 0
            ? 'previous_response_id names no kept response. Responses are kept for ' +
              `${RESPONSE_KEPT_DAYS} days, unless "store" is false in the request or in the answer (an answer with more ` +
              `than ${responseBytesMax} bytes without its media, or that could not be stored, is not kept) or the space ` +
              `keeps more than ${spaceBytesMax} bytes. Send the whole conversation as input instead.`
            : 'An earlier response of this conversation has expired or was deleted. Send the whole conversation as input.',
        param: 'previous_response_id',
      });
    }
    if (turns.some(({ state }) => state !== null)) throw withoutAnswer(turns.at(-1)?.state === 'running');
    const size = turns.reduce((sum, turn) => sum + sizeOf(turn), 0);
    if (size > bytesMax) throw tooLarge(bytesMax);
    const items: Item[] = [];
    for (const turn of turns) {
      const { input, output } = await this.#readTurn(turn);
      items.push(...input, ...output);
    }
    return items;
  }

  /** The kept items with these ids; others are missing in the map. */
  async items(principal: Principal, ids: readonly string[], bytesMax: number): Promise<Map<string, Item>> {
    const { db, clock } = this.#options;
    const at = { ...ownerScope(principal), now: clock.now() };
    const turns = await whenAvailable(() => readAgain(() => findTurnsWithItems(db, ids, at)), AWAY);
    if (turns.reduce((sum, turn) => sum + sizeOf(turn), 0) > bytesMax) throw tooLarge(bytesMax);
    const outputs = await Promise.all(turns.map(async (turn) => (await this.#readTurn(turn)).output));
    return new Map(outputs.flat().map((item) => [String(item.id), item]));
  }

  async #readTurn(kept: KeptTurn): Promise<TurnItems> {
    const turn = await readTurn(kept, this.#options.blobs);
    if (turn !== null) return turn;
    throw new Problem('response_not_found', {
      detail: 'A file of this conversation has expired or was deleted. Send the whole conversation as input.',
      param: 'previous_response_id',
    });
  }
}

const AWAY = { detail: 'Kept responses are temporarily unavailable. Send the request again in a moment.' };

/** A background response cannot be continued before it has an answer. */
function withoutAnswer(running: boolean): Problem {
  return new Problem('invalid_parameter', {
    detail: running
      ? 'previous_response_id names a background response that is still running. Wait until its status is completed.'
      : 'previous_response_id names a background response that failed or was cancelled, so it has no answer. Send the ' +
        'conversation as input instead.',
    param: 'previous_response_id',
  });
}

function tooLarge(bytesMax: number): Problem {
  return new Problem('request_too_large', {
    detail: `The conversation with its kept items is larger than ${bytesMax} bytes. Start a new conversation.`,
    param: 'previous_response_id',
  });
}

function sizeOf({ input, output, media }: KeptTurn): number {
  return input.length + output.length + (media ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
}
