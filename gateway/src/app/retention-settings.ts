/** Reads the section `retention` of tollgate.yaml. */
import { retentionDefaults } from '../config/config-defaults.ts';
import type { ConfigFile } from '../config/config-shape.ts';
import type { RetentionDays } from '../maintenance/retention.ts';

export function readRetention(entry: ConfigFile['retention'] = {}): RetentionDays {
  const { calls_days: calls, errors_days: errors, audit_days: audit, alerts_days: alerts } = entry;
  return {
    calls: calls ?? null,
    errors: errors ?? retentionDefaults.errorsDays,
    audit: audit ?? null,
    alerts: alerts ?? retentionDefaults.alertsDays,
  };
}
