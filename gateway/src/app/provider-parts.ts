/** Builds the provider registry from the settings. */
import type { Redactor } from '../kernel/redactor.ts';
import type { Clock } from '../kernel/time.ts';
import { adapters } from '../providers/adapters.ts';
import { ProviderMask } from '../providers/provider-mask.ts';
import { ProviderRegistry } from '../providers/registry.ts';
import type { Settings } from './settings.ts';

/** Empty until the catalogue is read. */
export function createProviders(options: {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly redactor: Redactor;
}): ProviderRegistry {
  const { settings, clock, redactor } = options;
  const { limits } = settings;
  return new ProviderRegistry(
    {
      clock,
      connectTimeoutMs: limits.upstreamConnectMs,
      silenceTimeoutMs: limits.upstreamSilenceMs,
      callTotalMs: limits.callTotalMs,
      transferTotalMs: limits.transferTotalMs,
      proxies: settings.proxies,
      mask: new ProviderMask(redactor),
    },
    adapters,
  );
}
