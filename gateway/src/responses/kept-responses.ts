/**
 * Keeps the items of responses for a while, so that later calls can refer to them instead of sending
 * them again, on every route of every model. What a provider itself may keep is never used: its ids
 * are shared by all who use one account.
 */
import { ownerOf, type Principal } from '../access/principal.ts';
import type { Database } from '../database/database.ts';
import { GroupWriter } from '../database/group-writer.ts';
import { Problem } from '../kernel/problem.ts';
import { Rounds } from '../kernel/rounds.ts';
import type { Clock } from '../kernel/time.ts';
import {
  deleteExpiredResponses,
  findChain,
  findOutputsWithItems,
  insertKeptResponses,
  type KeptResponse,
  type ResponseScope,
} from './kept-responses.store.ts';

export const KEPT_DAYS = 30;
/** Turns of one conversation that are put together for a call. */
export const CHAIN_TURNS_MAX = 1_000;
const GROUP_ROWS_MAX = 100;
const SWEEP_MS = 10 * 60 * 1000;
const SWEEP_ROWS_MAX = 1_000;
const DAY_MS = 24 * 60 * 60 * 1000;

export type Item = Readonly<Record<string, unknown>>;

export class KeptResponses {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #writer: GroupWriter<KeptResponse>;
  readonly #sweeps: Rounds;

  constructor(options: { db: Database; clock: Clock }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#writer = new GroupWriter({
      write: (rows) => this.#db.transaction((tx) => insertKeptResponses(tx, rows)),
      rowsMax: GROUP_ROWS_MAX,
    });
    // What has expired is not found meanwhile.
    this.#sweeps = new Rounds({ clock: options.clock, everyMs: SWEEP_MS, work: () => this.runOnce() });
  }

  start(): void {
    this.#sweeps.start();
  }

  async stop(): Promise<void> {
    await this.#sweeps.stop();
    await this.#writer.flush();
  }

  /** Deletes what has expired. */
  async runOnce(): Promise<void> {
    while ((await deleteExpiredResponses(this.#db, this.#clock.now(), SWEEP_ROWS_MAX)) === SWEEP_ROWS_MAX);
  }

  /** Resolves when the response can be referred to. */
  async keep(
    principal: Principal,
    response: { id: string; previousId: string | null; input: readonly Item[]; output: readonly unknown[] },
  ): Promise<void> {
    const itemIds = (response.output as Item[]).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
    await this.#writer.add({
      ...scopeOf(principal),
      id: response.id,
      previousId: response.previousId,
      input: JSON.stringify(response.input),
      output: JSON.stringify(response.output),
      itemIds: [...new Set(itemIds)],
      expiresAt: this.#clock.now() + KEPT_DAYS * DAY_MS,
    });
  }

  /** Everything said up to the end of a response, oldest first. */
  async conversation(principal: Principal, responseId: string): Promise<Item[]> {
    const at = { ...scopeOf(principal), now: this.#clock.now(), turnsMax: CHAIN_TURNS_MAX };
    const turns = await findChain(this.#db, responseId, at);
    const [first] = turns;
    if (first === undefined || first.previousId !== null) {
      throw new Problem('response_not_found', {
        detail:
          turns.length === 0
            ? 'There is no kept response with this previous_response_id. Responses are kept for ' +
              `${KEPT_DAYS} days unless "store" is false; send the whole conversation as input instead.`
            : 'An earlier response of this conversation is no longer kept; send the whole conversation as input.',
        param: 'previous_response_id',
      });
    }
    return turns.flatMap(({ input, output }) => [...readItems(input), ...readItems(output)]);
  }

  /** The items with these ids; those that are not kept are missing. */
  async items(principal: Principal, ids: readonly string[]): Promise<Map<string, Item>> {
    const outputs = await findOutputsWithItems(this.#db, ids, {
      ...scopeOf(principal),
      now: this.#clock.now(),
    });
    const items = outputs.flatMap(readItems);
    return new Map(items.map((item) => [String(item.id), item]));
  }
}

function scopeOf(principal: Principal): ResponseScope {
  return { spaceId: principal.spaceId, owner: ownerOf(principal) };
}

function readItems(json: string): Item[] {
  return JSON.parse(json) as Item[];
}
