/**
 * Archives the calls of a month: writes them to a file, reads the file again, compares it with the database, and only
 * then removes them there. What they cost stays in the sums (`metering/remove-calls.store.ts`).
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { link, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { Database, Queryable } from '../database/database.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { randomBase62 } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { type Clock, isoOf, type Month, monthStart, nextMonth } from '../kernel/time.ts';
import { parseUnits, printUnits, sumUnits, type Units, ZERO } from '../kernel/units.ts';
import {
  type CallPeriod,
  listRemovableCalls,
  type RemovableSum,
  removeCalls,
  sumRemovableCalls,
} from '../metering/remove-calls.store.ts';
import { compressLines } from './table-parts.ts';

export interface ArchiveInput {
  readonly month: Month;
  /** An absolute path. */
  readonly folder: string;
  /** Only write the file. */
  readonly keep: boolean;
}

export interface ArchiveReport {
  readonly month: Month;
  readonly file: string;
  readonly sha256: string;
  readonly calls: number;
  readonly cost: string;
  readonly removed: number;
}

/** A call that is charged in a month may have started before it, but not longer ago than this. */
const CALL_MS_MAX = DAY_MS;
/** Corrections and questions about a month come soon after it. */
const CLOSED_DAYS = 31;
const ROWS_AT_ONCE = 500;

export async function archiveMonth(
  { db, clock }: { db: Database; clock: Clock },
  { month, folder, keep }: ArchiveInput,
): Promise<ArchiveReport> {
  const until = monthStart(nextMonth(month));
  if (until + CLOSED_DAYS * DAY_MS > clock.now())
    throw conflict(
      `${month} cannot be archived yet: a month is archived when it ended at least ${CLOSED_DAYS} days ago.`,
    );
  const period = { from: monthStart(month) - CALL_MS_MAX, until, month };
  if ((await sumRemovableCalls(db, period)).calls === 0)
    throw conflict(`There are no calls of ${month} to archive.`);
  const file = archiveFile(folder, month);
  const partial = `${file}.${randomBase62(8)}.partial`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeCalls(db, period, partial);
    const { sha256, ...written } = await readWritten(partial);
    requireSame(month, written, await sumRemovableCalls(db, period));
    // Unlike a rename, a link never replaces a file that somebody else wrote meanwhile.
    await link(partial, file);
    const facts = { month, file, sha256, ...written };
    await writeFile(`${file}.json`, `${JSON.stringify({ ...facts, created_at: isoOf(clock.now()) })}\n`, {
      mode: 0o600,
    });
    return { ...facts, removed: keep ? 0 : await removeCalls(db, period) };
  } finally {
    await rm(partial, { force: true });
  }
}

function archiveFile(folder: string, month: Month): string {
  const file = join(resolve(folder), `calls-${month}.jsonl.gz`);
  if (existsSync(file))
    throw conflict(`${file} exists already: the month was archived before. Name another folder.`);
  return file;
}

/** Pages instead of one snapshot: the month is over, and the embedded database has one connection for everything. */
async function writeCalls(db: Queryable, period: CallPeriod, file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    let after: string | null = null;
    for (;;) {
      const rows = await listRemovableCalls(db, period, { after, rowsMax: ROWS_AT_ONCE });
      if (rows.length === 0) break;
      // Compressed pieces one after the other are a compressed file.
      await handle.appendFile(await compressLines(rows.map(({ line }) => line)));
      after = rows.at(-1)?.id ?? null;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What the file holds, read from the disk. */
async function readWritten(file: string): Promise<RemovableSum & { sha256: string }> {
  const digest = createHash('sha256');
  const content = createReadStream(file);
  content.on('data', (piece) => digest.update(piece));
  let [calls, cost]: [number, Units] = [0, ZERO];
  for await (const line of createInterface({ input: content.pipe(createGunzip()) })) {
    const call = JSON.parse(line) as { cost: string | null };
    calls += 1;
    cost = sumUnits([cost, parseUnits(call.cost ?? '0')]);
  }
  return { calls, cost: printUnits(cost), sha256: digest.digest('hex') };
}

function requireSame(month: Month, written: RemovableSum, stored: RemovableSum): void {
  if (written.calls === stored.calls && parseUnits(written.cost) === parseUnits(stored.cost)) return;
  throw conflict(
    `The file for ${month} has ${written.calls} calls that cost ${written.cost}, but the database has ` +
      `${stored.calls} that cost ${stored.cost}. A call was corrected meanwhile: run the command again. Nothing was removed.`,
  );
}

function conflict(detail: string): Problem {
  return new Problem('conflict', { detail });
}
