import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import { ProviderAssets } from '../files/provider-assets.ts';
import type { CallMediaTools } from '../gateway/call-media.ts';
import type { Clock } from '../kernel/time.ts';
import { AddressGuard } from '../net/address-guard.ts';
import type { Log } from '../telemetry/log.ts';
import type { Settings } from './settings.ts';

/** What calls need for what they name by address. */
export function createCallMedia(
  { settings, clock, log }: { settings: Settings; clock: Clock; log: Log },
  { db, blobs }: { db: Database; blobs: Blobs },
): CallMediaTools & { readonly assets: ProviderAssets } {
  return {
    ...{ db, blobs, clock },
    assets: new ProviderAssets({ db, clock }),
    guard: new AddressGuard({ allowed: settings.fetchAllow }),
    onTrouble: (error, reference) =>
      log.warn('a reference could not be registered with a provider', { error, ...reference }),
  };
}
