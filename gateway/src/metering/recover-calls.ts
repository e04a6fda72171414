/** The write-ahead file of an embedded database: where it is, and applying what a crash left in it. */
import { join } from 'node:path';
import type { Database } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { folderDisk } from '../database/write-ahead-disk.ts';
import { WriteAheadFile } from '../database/write-ahead-file.ts';
import type { Clock } from '../kernel/time.ts';
import { PendingCalls } from './pending-calls.ts';

/** The folder of the file in the data folder. On PostgreSQL it has the journals of processes. */
export const WRITE_AHEAD_FOLDER = 'write-ahead';

export function openWriteAhead({ folder, clock }: { folder: string; clock: Clock }): WriteAheadFile {
  return new WriteAheadFile({ disk: folderDisk(join(folder, WRITE_AHEAD_FOLDER)), clock });
}

/**
 * For commands that open a data folder while no server runs: the database has every charge when it resolves. The schema
 * must be there.
 */
export async function recoverCalls(db: Database, place: { folder: string; clock: Clock }): Promise<void> {
  if (db.engine !== 'embedded') return;
  const file = openWriteAhead(place);
  const pending = new PendingCalls({ db, clock: place.clock, file, keepRejected: true });
  await pending.start();
  await pending.stop(LONG_ANSWER_MS);
}
