/** Answers the calls that arrive on the local admin socket (`ask-server.ts`). */
import { shellActor } from '../access/actor.ts';
import { defaultSpaceOf } from '../demo/demo-space.ts';
import type { Clock } from '../kernel/time.ts';
import { type ArchiveInput, archiveMonth } from '../maintenance/archive-month.ts';
import { removeDue } from '../maintenance/remove-due.ts';
import type { AdminCall } from './ask-server.ts';
import { readCallers } from './check-markup.ts';
import type { GatewayApp } from './gateway-app.ts';
import type { ServerStatus } from './server-status.ts';
import type { Settings } from './settings.ts';
import { beginSnapshot, endSnapshot } from './snapshot-folder.ts';

export async function answerCall(
  app: GatewayApp,
  call: AdminCall,
  of: { status: () => ServerStatus; settings: Settings; clock: Clock },
): Promise<unknown> {
  const { settings, clock } = of;
  switch (call.name) {
    case 'ping':
      return 'pong';
    case 'status':
      return of.status();
    case 'callers':
      return await readCallers(app.db, keyIdsIn(call.input));
    case 'backup.begin':
      return await beginSnapshot(app.db, settings.dataFolder, clock);
    case 'backup.end':
      return await endSnapshot(app.db, call.input);
    case 'archive':
      return await archiveMonth({ db: app.db, clock }, call.input as ArchiveInput);
    case 'gc': {
      const sweeps = { db: app.db, clock, days: settings.retention, sweepAll: () => app.sweepAll() };
      return await removeDue(sweeps, (call.input as { dryRun?: boolean }).dryRun !== false);
    }
    default:
      return await app.administer({
        ...call,
        actor: shellActor(call.actor ?? 'operator', defaultSpaceOf(settings)),
      });
  }
}

function keyIdsIn(input: unknown): string[] {
  const { keys } = (input ?? {}) as { keys?: unknown };
  return Array.isArray(keys) ? keys.map(String) : [];
}
