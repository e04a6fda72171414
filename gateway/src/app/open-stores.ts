/** Opens and migrates the database, and opens the blob store. */
import type { Blobs } from '../blobs/blobs.ts';
import { openBlobs } from '../blobs/open-blobs.ts';
import type { S3Settings } from '../blobs/s3.ts';
import type { Database } from '../database/database.ts';
import { migrate, newestSchema, schemaVersion } from '../database/migrate.ts';
import { openDatabase } from '../database/open-database.ts';
import type { WriteAheadFile } from '../database/write-ahead-file.ts';
import type { Clock } from '../kernel/time.ts';
import { openWriteAhead } from '../metering/recover-calls.ts';
import type { Log } from '../telemetry/log.ts';
import { type OutageParts, outageParts } from './outage-parts.ts';
import type { Settings } from './settings.ts';

export interface Stores {
  readonly db: Database;
  readonly blobs: Blobs;
  /** Where calls are durable before they are in the database; null for PostgreSQL. */
  readonly file: WriteAheadFile | null;
  readonly outage: OutageParts;
}

export interface StoreOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  /** Wraps the database; tests use it to make statements fail. */
  readonly wrapDatabase?: (db: Database) => Database;
}

export async function openStores({ settings, clock, log, wrapDatabase }: StoreOptions): Promise<Stores> {
  const opened = await openDatabase({
    url: settings.databaseUrl?.reveal() ?? null,
    folder: settings.dataFolder,
    clock,
    onLost: (error) => log.warn('a database connection was lost', { error }),
    onUndone: (error) =>
      log.warn('the database rolled a transaction back to resolve a deadlock; it is retried', { error }),
  });
  const outage = outageParts(wrapDatabase?.(opened) ?? opened, { settings, clock, log });
  const { db } = outage;
  try {
    const ran = await migrate(db, clock);
    if (ran.length > 0) {
      log.info('the database was migrated', { migrations: ran });
      // Creating the folder and migrating it take far more memory than a server needs afterwards.
      await opened.restart?.();
    }
    const [schema, known] = [await schemaVersion(db), newestSchema()];
    if (schema > known)
      log.warn('the database belongs to a newer version of tollgate, beside which this one works', {
        schema,
        known,
      });
    const file = db.engine === 'embedded' ? openWriteAhead({ folder: settings.dataFolder, clock }) : null;
    return { db, blobs: await openBlobStore(settings), file, outage };
  } catch (error) {
    await db.close();
    throw error;
  }
}

export async function openBlobStore({ dataFolder, s3, proxies }: Settings): Promise<Blobs> {
  const proxy = s3 === null ? null : proxies.proxyFor(bucketUrl(s3));
  return await openBlobs({ dataFolder, s3, proxyUrl: proxy?.url ?? null });
}

/** The address that the SDK connects to. */
function bucketUrl({ bucket, region, endpoint }: S3Settings): URL {
  return new URL(endpoint ?? `https://${bucket}.s3.${region}.amazonaws.com`);
}
