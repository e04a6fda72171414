/** Whose prices a provider of the catalogue has. Pure. */
import { dialectFacts, vendorFacts } from '../catalog/dialects/dialects.ts';
import { familyAt } from '../catalog/dialects/price-families.ts';
import type { ProviderEntry } from '../catalog/provider-entry.ts';

/** By its vendor, its host, its dialect, or else its own name. Null for the simulator, which has no real prices. */
export function providerFamily(name: string, entry: ProviderEntry): string | null {
  const { dialect, vendor = null, simulated, base_url } = entry;
  if (simulated) return null;
  if (vendor !== null && vendorFacts(dialect, vendor)?.host !== undefined) return vendor;
  const host = URL.canParse(base_url) ? new URL(base_url).hostname : '';
  return familyAt(host) ?? dialectFacts[dialect].priceFamily ?? name;
}
