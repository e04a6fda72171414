/** Reads the sections `retention` and `metering` of tollgate.yaml: how records of calls are written, and how long they stay. */
import { meteringDefaults, retentionDefaults } from '../config/config-defaults.ts';
import type { ConfigFile } from '../config/config-shape.ts';
import type { RetentionDays } from '../maintenance/retention.ts';
import type { JournalBounds } from '../metering/call-journal.ts';

export function readRetention(entry: ConfigFile['retention'] = {}): RetentionDays {
  const { calls_days: calls, errors_days: errors, audit_days: audit, alerts_days: alerts } = entry;
  return {
    calls: calls ?? null,
    errors: errors ?? retentionDefaults.errorsDays,
    audit: audit ?? null,
    alerts: alerts ?? retentionDefaults.alertsDays,
  };
}

export function readJournal(entry: ConfigFile['metering'] = {}): JournalBounds | null {
  const { journal = meteringDefaults.journal, journal_calls_max, journal_age_max_ms } = entry;
  if (journal === 'none') return null;
  return {
    callsMax: journal_calls_max ?? meteringDefaults.journalCallsMax,
    ageMsMax: journal_age_max_ms ?? meteringDefaults.journalAgeMaxMs,
  };
}
