/** Builds the tools for references and URLs in calls. */
import type { CallMediaTools } from '../calls/references/find-references.ts';
import { type LinkTools, signReferenceUrl } from '../media/media-link.ts';
import { ProviderAssets } from '../media/provider-assets.ts';
import { AddressGuard } from '../net/address-guard.ts';
import type { Log } from '../telemetry/log.ts';
import type { Settings } from './settings.ts';

export function createCallMedia(
  { settings, log }: { settings: Settings; log: Log },
  links: LinkTools,
): CallMediaTools & { readonly assets: ProviderAssets } {
  const { db, blobs, clock } = links;
  return {
    db,
    blobs,
    clock,
    assets: new ProviderAssets({ db, clock }),
    proxies: settings.proxies,
    guard: new AddressGuard({ allowed: settings.fetchAllow, resolvesPassed: settings.resolveAddresses }),
    signUrl: (reference, seconds) => signReferenceUrl(reference, seconds, links),
    onTrouble: (error, reference) =>
      log.warn('a reference could not be registered with a provider', { error, ...reference }),
  };
}
