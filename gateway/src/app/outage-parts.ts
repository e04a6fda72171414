/** What a process on PostgreSQL needs to continue through an outage of the database, if it is configured to. */
import { join } from 'node:path';
import type { Database } from '../database/database.ts';
import { DatabaseOutage } from '../database/database-outage.ts';
import { VIEW_MS_MAX } from '../database/deadlines.ts';
import type { Clock } from '../kernel/time.ts';
import { CallJournal, type CallJournalOptions } from '../metering/call-journal.ts';
import { WRITE_AHEAD_FOLDER } from '../metering/recover-calls.ts';
import type { Log } from '../telemetry/log.ts';
import type { Settings } from './settings.ts';

export interface OutageParts {
  /** For everybody. */
  readonly db: Database;
  /** Null if calls are rejected during an outage. */
  readonly outage: DatabaseOutage | null;
  /** How old keys and limits in memory may be. */
  readonly viewMsMax: () => number;
  /** Null for the embedded engine, which has a file for all calls. */
  openJournal(options: Pick<CallJournalOptions, 'onTrouble' | 'writer'>): CallJournal | null;
}

export function outageParts(
  db: Database,
  { settings, clock, log }: { settings: Settings; clock: Clock; log: Log },
): OutageParts {
  const { journal: bounds, dataFolder } = settings;
  const isOn = db.engine === 'postgres' && bounds !== null;
  const outage = isOn ? new DatabaseOutage({ db, clock, ...logged(log) }) : null;
  return {
    outage,
    db: outage?.guarded() ?? db,
    viewMsMax: () =>
      bounds !== null && outage?.isSuspected ? Math.max(bounds.ageMsMax, VIEW_MS_MAX) : VIEW_MS_MAX,
    openJournal: (options) =>
      db.engine === 'postgres'
        ? new CallJournal({
            ...options,
            clock,
            bounds,
            db: outage?.unnoticed() ?? db,
            folder: join(dataFolder, WRITE_AHEAD_FOLDER),
            onForeign: (folder) =>
              log.error('calls of another database wait in a folder, and stay there', { folder }),
          })
        : null,
  };
}

function logged(log: Log): Pick<ConstructorParameters<typeof DatabaseOutage>[0], 'onBegin' | 'onEnd'> {
  return {
    onBegin: (error) =>
      log.error('the database does not answer; calls continue and are stored in the data folder', { error }),
    onEnd: (durationMs) =>
      log.warn('the database answers again; the stored calls are written to it', {
        duration_ms: Math.round(durationMs),
      }),
  };
}
