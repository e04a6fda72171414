/** Runs all sweeps for a command, in the server of the data folder if one runs there, else in this process. */

import { Redactor } from '../kernel/redactor.ts';
import type { Clock } from '../kernel/time.ts';
import { type RemovedRows, removeDue } from '../maintenance/remove-due.ts';
import { createLog } from '../telemetry/log.ts';
import { maskedLog } from '../telemetry/masked-log.ts';
import type { Environment } from '../yaml/expand-text.ts';
import { askServer } from './ask-server.ts';
import { GatewayApp } from './gateway-app.ts';
import { readLogSettings } from './log-settings.ts';
import { secretsOf } from './secrets-of-settings.ts';
import type { Settings } from './settings.ts';

export async function sweepInstallation(
  settings: Settings,
  { env, clock, dryRun }: { env: Environment; clock: Clock; dryRun: boolean },
): Promise<readonly RemovedRows[]> {
  const answered = await askServer(settings.dataFolder, 'gc', { dryRun });
  if (answered !== null) return answered.result;
  const redactor = new Redactor();
  for (const secret of secretsOf(settings, env)) redactor.add(secret);
  const log = maskedLog(createLog({ level: 'warn' }), (text) => redactor.redact(text));
  const logs = readLogSettings(env, settings.dataFolder);
  // It is never started, so it neither listens nor works on jobs.
  const app = await GatewayApp.open({ settings, logs, traces: null, env, clock, log, redactor });
  try {
    const sweeps = { db: app.db, clock, days: settings.retention, sweepAll: () => app.sweepAll() };
    return await removeDue(sweeps, dryRun);
  } finally {
    await app.stop('now');
  }
}
