/**
 * Keeps blobs and rows consistent. A blob is recorded as pending before it is written, and the record is removed in the
 * transaction of the row that refers to the blob. So a blob without a row is always known, and is deleted when its
 * writer has been silent for too long. Expired files, references and media are deleted with their blobs.
 */

import type { Database, Queryable, Transaction } from '../database/database.ts';
import { HOUR_MS, MINUTE_MS } from '../kernel/durations.ts';
import { LeaseLost } from '../kernel/lease-lost.ts';
import type { Running } from '../kernel/running.ts';
import { Sweeper } from '../kernel/sweeper.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import type { Log } from '../telemetry/log.ts';
import { areBlobsHeld } from './blob-holds.store.ts';
import type { BlobSink, Blobs, WrittenBlob } from './blobs.ts';
import {
  adoptPendingBlob,
  deletePendingBlob,
  doomPendingBlobs,
  insertPendingBlob,
  renewPendingBlob,
} from './pending-blobs.store.ts';

/** A writer that is silent for this long counts as dead. */
export const WRITER_SILENT_MS = 10 * MINUTE_MS;
const RENEW_MS = MINUTE_MS;
const SWEEP_MS = MINUTE_MS;
const SWEEP_ROWS_MAX = 100;
/** Listing a bucket costs money. */
const LEFTOVERS_MS = HOUR_MS;

/** Expiring rows that own a blob; each part that has such rows provides them. */
export interface ExpiringBlobs {
  find(db: Queryable, now: Instant, rowsMax: number): Promise<Array<{ id: string; blob: string }>>;
  delete(db: Queryable, id: string): Promise<void>;
}

/** The writer was silent for too long, so its blob was deleted. The upload can be retried. */
export class BlobLeaseLost extends LeaseLost {
  override readonly name = 'BlobLeaseLost';
}

export interface BlobKeeperOptions {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly log: Log;
  readonly expiring: readonly ExpiringBlobs[];
}

export class BlobKeeper implements Running {
  readonly #db: Database;
  readonly #blobs: Blobs;
  readonly #clock: Clock;
  readonly #expiring: readonly ExpiringBlobs[];
  readonly #sweeper: Sweeper;
  #leftoversAt: Instant | null = null;

  constructor(options: BlobKeeperOptions) {
    this.#db = options.db;
    this.#blobs = options.blobs;
    this.#clock = options.clock;
    this.#expiring = options.expiring;
    this.#sweeper = new Sweeper({
      clock: options.clock,
      everyMs: SWEEP_MS,
      atStart: 'awaited',
      sweep: () => this.#sweep(),
      onTrouble: (error) => options.log.warn('expired files could not be removed', { error }),
    });
  }

  /** Removes leftovers of an earlier process. An unavailable store does not prevent the start. */
  async start(): Promise<void> {
    await this.#sweeper.start();
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop();
  }

  async runOnce(): Promise<void> {
    await this.#sweeper.runOnce();
  }

  /** False even if rows are left: they wait for the next sweep, because each costs a request to the bucket. */
  async #sweep(): Promise<boolean> {
    const now = this.#clock.now();
    if (this.#leftoversAt === null || now - this.#leftoversAt >= LEFTOVERS_MS) {
      await this.#blobs.removeLeftovers(now - WRITER_SILENT_MS);
      this.#leftoversAt = now;
    }
    await this.#deleteAbandoned();
    // A sweep that began before the hold deletes only what had expired before the snapshot of the backup.
    if (await areBlobsHeld(this.#db, now)) return false;
    for (const rows of this.#expiring) await this.#deleteExpired(rows);
    return false;
  }

  /**
   * Begins a blob that a row will refer to. An earlier writer of the same name must have stopped: a job that is resumed
   * starts its blob again.
   */
  async write(name: string): Promise<PendingBlob> {
    const leaseUntil = this.#clock.now() + WRITER_SILENT_MS;
    if (!(await insertPendingBlob(this.#db, name, leaseUntil))) {
      throw new BlobLeaseLost(`what was left of the blob ${name} is being deleted`);
    }
    try {
      const sink = await this.#blobs.write(name);
      return new PendingBlob(name, sink, { db: this.#db, blobs: this.#blobs, clock: this.#clock });
    } catch (error) {
      await forget(this.#db, name);
      throw error;
    }
  }

  async #deleteAbandoned(): Promise<void> {
    for (const name of await doomPendingBlobs(this.#db, this.#clock.now(), SWEEP_ROWS_MAX)) {
      await this.#blobs.delete(name);
      await deletePendingBlob(this.#db, name);
    }
  }

  /** The blob first: an interruption in between is repaired by the next run. */
  async #deleteExpired(rows: ExpiringBlobs): Promise<void> {
    for (const { id, blob } of await rows.find(this.#db, this.#clock.now(), SWEEP_ROWS_MAX)) {
      await this.#blobs.delete(blob);
      await rows.delete(this.#db, id);
    }
  }
}

export class PendingBlob {
  readonly name: string;
  readonly #sink: BlobSink;
  readonly #db: Database;
  readonly #blobs: Blobs;
  readonly #clock: Clock;
  #renewedAt: Instant;
  /** We were too slow and the record is gone: nothing will ever refer to the blob. */
  #lost = false;

  constructor(name: string, sink: BlobSink, tools: { db: Database; blobs: Blobs; clock: Clock }) {
    this.name = name;
    this.#sink = sink;
    this.#db = tools.db;
    this.#blobs = tools.blobs;
    this.#clock = tools.clock;
    this.#renewedAt = tools.clock.now();
  }

  async append(bytes: Uint8Array): Promise<void> {
    await this.#sink.append(bytes);
    const now = this.#clock.now();
    if (now - this.#renewedAt < RENEW_MS) return;
    this.#renewedAt = now;
    // Not awaited: many renewals fit into the time after which a writer counts as dead.
    renewPendingBlob(this.#db, this.name, now + WRITER_SILENT_MS).catch(() => undefined);
  }

  /** What has been appended so far. */
  soFar(): WrittenBlob {
    return this.#sink.soFar();
  }

  async commit(): Promise<WrittenBlob> {
    return await this.#sink.commit();
  }

  /** Call in the transaction of the row that refers to the blob. Throws, and so rolls the row back, if it is too late. */
  async adopt(tx: Transaction): Promise<void> {
    if (await adoptPendingBlob(tx, this.name)) return;
    this.#lost = true;
    throw new BlobLeaseLost(`the blob ${this.name} was given up while it was written`);
  }

  /**
   * Removes the blob and its record. After the commit it does nothing: then only the database knows whether the row was
   * written, and the pending record decides.
   */
  async abort(): Promise<void> {
    if (this.#lost) await this.#blobs.delete(this.name).catch(() => undefined);
    if (this.#sink.committed) return;
    await this.#sink.abort();
    await forget(this.#db, this.name);
  }
}

/** A record that cannot be removed now is found again when it expires. */
async function forget(db: Database, name: string): Promise<void> {
  await deletePendingBlob(db, name).catch(() => undefined);
}
