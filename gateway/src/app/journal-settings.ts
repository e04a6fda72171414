/** Reads what the journal of calls may hold, of the section `metering` of tollgate.yaml. */
import { meteringDefaults } from '../config/config-defaults.ts';
import type { ConfigFile } from '../config/config-shape.ts';
import type { JournalBounds } from '../metering/call-journal.ts';

export function readJournal(entry: ConfigFile['metering'] = {}): JournalBounds | null {
  const { journal = meteringDefaults.journal, journal_calls_max, journal_age_max_ms } = entry;
  if (journal === 'none') return null;
  return {
    callsMax: journal_calls_max ?? meteringDefaults.journalCallsMax,
    ageMsMax: journal_age_max_ms ?? meteringDefaults.journalAgeMaxMs,
  };
}
