/**
 * What an event of the demo's past works with. A part of the past is one transaction, so the functions of the product
 * get a database whose transactions are that one, and a clock that shows the time of the event.
 */
import { type Actor, shellActor } from '../access/actor.ts';
import { findKey } from '../access/keys.store.ts';
import { backgroundPrincipal, type Principal } from '../access/principal.ts';
import { findSpace, type Space } from '../access/spaces.store.ts';
import { runOperation } from '../administration/operations.ts';
import { BlobKeeper } from '../blobs/blob-keeper.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { InputOf, OperationName, ResultOf } from '../contract/administration/admin-endpoints.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Log } from '../telemetry/log.ts';
import { DemoClock } from './demo-clock.ts';

/** Keys that were looked up, by space and name. One for a whole history: each would be looked up hundreds of times. */
export type KnownKeys = Map<string, Principal>;

export interface DemoTools {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly catalog: () => Catalog;
  readonly log: Log;
}

export class DemoScene {
  readonly tx: Transaction;
  readonly db: Database;
  readonly clock = new DemoClock(0);
  readonly blobs: Blobs;
  readonly catalog: () => Catalog;
  readonly keeper: BlobKeeper;
  readonly #keys: KnownKeys;

  constructor(tx: Transaction, { db, blobs, catalog, log }: DemoTools, keys: KnownKeys) {
    this.tx = tx;
    this.db = joinedDatabase(tx, db);
    this.blobs = blobs;
    this.catalog = catalog;
    this.#keys = keys;
    this.keeper = new BlobKeeper({ db: this.db, blobs, clock: this.clock, log, expiring: [] });
  }

  /** Runs an operation of administration at the time of the event, with its audit line. */
  async run<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    by: string = OPERATOR,
  ): Promise<ResultOf<Name>> {
    const actor: Actor = shellActor(by);
    return await runOperation({ db: this.db, clock: this.clock, actor }, name, input);
  }

  async space(name: string): Promise<Space> {
    const space = await findSpace(this.tx, name);
    if (space === null) throw new Error(`the demo has no space ${name}`);
    return space;
  }

  /** Who calls with a key. Its limits do not matter for what has happened. */
  async key(space: string, name: string): Promise<Principal> {
    const known = this.#keys.get(`${space}/${name}`);
    if (known !== undefined) return known;
    const { id: spaceId } = await this.space(space);
    const key = await findKey(this.tx, { spaceId, name });
    if (key === null) throw new Error(`the demo has no key ${name} in ${space}`);
    const principal = backgroundPrincipal({
      keyId: key.id,
      spaceId,
      spaceName: space,
      memberId: key.memberId,
    });
    this.#keys.set(`${space}/${name}`, principal);
    return principal;
  }
}

/** Of the demo's operations. */
const OPERATOR = 'demo@example.com';

/** A database whose transactions are all part of this one. */
function joinedDatabase(tx: Transaction, { engine }: Database): Database {
  return {
    engine,
    query: (statement) => tx.query(statement),
    transaction: (work) => work(tx),
    listen: () => Promise.reject(new Error('a transaction cannot listen')),
    close: () => Promise.resolve(),
  };
}
