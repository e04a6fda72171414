/** The tiers and regions in which a provider may serve a request. Pure. */
import type { Json } from '../json/read-json.ts';
import type { MayServe } from '../pricing/price-at-most.ts';
import { askedGeo, askedTierPart } from './asked-parts.ts';

/**
 * A provider may serve a call in a tier that was asked for or in its standard one. Without a name the settings of its account
 * decide, so it may be any: translations leave out the names of standard tiers, and `auto` is not one.
 */
export function mayServe(request: object): MayServe {
  const { service_tier, speed, inference_geo } = request as Json;
  const tier = nameOf(askedTierPart(service_tier, 'service_tier'));
  const fast = nameOf(askedTierPart(speed, 'speed'));
  const geo = nameOf(askedGeo(inference_geo, 'inference_geo'));
  const tiers = [tier ?? [], fast ?? [], tier !== null && fast !== null ? `${tier}_${fast}` : []].flat();
  return {
    tiers,
    anyTier: tier === null,
    fast: fast !== null,
    geos: geo === null ? [] : [geo],
    anyGeo: geo === null,
  };
}

function nameOf([asked]: ReturnType<typeof askedTierPart>): string | null {
  return asked === undefined ? null : asked.part.slice(asked.part.indexOf(':') + 1);
}
