/** Whether charges wait in the data folder for PostgreSQL, in a journal of `metering.journal: local`. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listFolders } from '../../database/locked-folders.ts';
import { readSegment } from '../../database/write-ahead-segment.ts';
import type { Clock } from '../../kernel/time.ts';
import { splitRows } from '../../metering/call-record.ts';
import { WRITE_AHEAD_FOLDER } from '../../metering/recover-calls.ts';
import type { Settings } from '../settings.ts';
import { bounded, type CheckResult, type Finding, fine, warning } from './finding.ts';

/** Reads the files without locking them, beside the processes that write to them. */
export async function checkJournal(settings: Settings, clock: Clock): Promise<Finding[]> {
  const { databaseUrl, dataFolder, journal } = settings;
  const folder = join(dataFolder, WRITE_AHEAD_FOLDER);
  if (databaseUrl === null || (journal === null && listFolders(folder).length === 0)) return [];
  const next = `Check that this user may read ${folder}.`;
  return await bounded('journal', { clock, next }, async () => judgeJournals(listFolders(folder), clock));
}

function judgeJournals(folders: readonly string[], clock: Clock): CheckResult {
  const waiting = folders.map(waitingIn).filter(({ calls }) => calls > 0);
  if (waiting.length === 0) return fine('no calls wait for the database');
  const calls = waiting.reduce((sum, one) => sum + one.calls, 0);
  const oldestMs = Math.max(...waiting.map(({ sinceMs }) => clock.now() - sinceMs));
  const where = waiting.map(({ path }) => path).join(', ');
  return warning(
    `${calls} calls wait for the database, the oldest for about ${Math.ceil(oldestMs / 1_000)} s, in ${where}`,
    'If the database answers, running servers write them within seconds, and the next start of a server writes what an ' +
      'earlier one left. If they stay, look for the folder in the log. Do not delete the folder: it has charges that are nowhere else.',
  );
}

function waitingIn(path: string): { path: string; calls: number; sinceMs: number } {
  let [calls, sinceMs] = [0, Number.POSITIVE_INFINITY];
  try {
    for (const name of readdirSync(path).filter((one) => one.endsWith('.wal'))) {
      const file = join(path, name);
      sinceMs = Math.min(sinceMs, statSync(file).birthtimeMs);
      for (const { payload } of readSegment(readFileSync(file))) calls += splitRows(payload).length;
    }
  } catch (error) {
    // A file that its process removes meanwhile is in the database.
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
  }
  return { path, calls, sinceMs };
}
