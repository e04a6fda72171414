/** Reads what a provider's usage has beyond the usual counts. Pure. */
import { isObject, type Json } from '../json/read-json.ts';
import { plausibleUsage, type Usage, type UsageDetails } from './usage.ts';

/** Fields of a provider's usage whose meaning is known, so that the rest can be found. */
export interface KnownFields {
  readonly [name: string]: true | KnownFields;
}

/** What OpenRouter and xAI charge, which is their own bill and not usage. */
export const OWN_BILL: KnownFields = {
  cost: true,
  cost_details: true,
  is_byok: true,
  cost_in_usd_ticks: true,
};

/** As read: counts may be missing, or wrong, which `plausibleUsage` finds. */
export type ReadDetails = {
  readonly [Field in keyof UsageDetails]?: unknown;
};

/** Leaves out what was not used. Undefined if nothing remains, which is the usual case. */
export function usageDetails(read: ReadDetails): UsageDetails | undefined {
  let details: Record<string, unknown> | undefined;
  for (const name in read) {
    const value = used(read[name as keyof UsageDetails]);
    if (value === undefined) continue;
    details ??= {};
    details[name] = value;
  }
  return details as UsageDetails | undefined;
}

function used(value: unknown): unknown {
  if (value === undefined || value === null || value === 0) return undefined;
  return isObject(value) ? usageDetails(value as ReadDetails) : value;
}

/**
 * Adds what an answer shows of tools and its tier to usage that the provider did not report in full. If a count cannot be
 * true, the tools cannot be counted.
 */
export function withSeenDetails(usage: Usage, seen: UsageDetails | undefined): Usage {
  if (seen === undefined) return usage;
  const { details = {} } = usage;
  const merged = usageDetails({
    ...details,
    tools: mostOf(details.tools, seen.tools),
    tier: details.tier ?? seen.tier,
    unknown: { ...details.unknown, ...seen.unknown },
  });
  const full = withDetails(usage, merged);
  return plausibleUsage(full) ? full : { ...usage, details: { ...details, unknown: UNCOUNTED_TOOLS } };
}

/** For answers of a provider that ran tools of its own, but does not show how often. It makes the call unpriced. */
export const UNCOUNTED_TOOLS: Readonly<Record<string, number>> = { hosted_tools: 1 };

function mostOf(
  counted: UsageDetails['tools'] = {},
  seen: UsageDetails['tools'] = {},
): Record<string, unknown> {
  const most: Record<string, number> = { ...counted };
  for (const [kind, count] of Object.entries(seen)) most[kind] = Math.max(most[kind] ?? 0, count);
  return most;
}

/** The usage with its details, if it has any. */
export function withDetails(counts: Usage, details: UsageDetails | undefined): Usage {
  return details === undefined ? counts : { ...counts, details };
}

/**
 * Counts without a known meaning, by their path. Zeros and texts are not usage. Undefined if there is none. `at` is the
 * path of `json`.
 */
export function unknownCounts(json: Json, known: KnownFields, at = ''): Record<string, number> | undefined {
  return isKnown(json, known) ? undefined : collectUnknown(json, known, at);
}

/** True if all counts are known, which is the usual case and needs no path. */
function isKnown(json: Json, known: KnownFields): boolean {
  for (const name in json) {
    const value = json[name];
    if (value === null || value === 0 || typeof value === 'string') continue;
    const meaning = Object.hasOwn(known, name) ? known[name] : undefined;
    if (meaning === true) continue;
    if (meaning === undefined || !isObject(value) || !isKnown(value, meaning)) return false;
  }
  return true;
}

function collectUnknown(json: Json, known: KnownFields, at: string): Record<string, number> | undefined {
  let found: Record<string, number> | undefined;
  for (const name in json) {
    const meaning = Object.hasOwn(known, name) ? known[name] : undefined;
    const value = json[name];
    if (meaning === true || value === null || value === 0 || typeof value === 'string') continue;
    const counts = unknownIn(value, meaning ?? NOTHING_KNOWN, pathOf(at, name));
    if (counts === undefined) continue;
    found = { ...found, ...counts };
    if (Object.keys(found).length >= UNKNOWN_MAX) break;
  }
  return found;
}

function unknownIn(value: unknown, known: KnownFields, path: string): Record<string, number> | undefined {
  if (typeof value === 'number') return { [path]: value };
  if (path.length >= PATH_CHARACTERS_MAX) return undefined;
  if (isObject(value)) return unknownCounts(value, known, path);
  return Array.isArray(value) ? unknownCounts({ ...value.slice(0, UNKNOWN_MAX) }, known, path) : undefined;
}

const NOTHING_KNOWN: KnownFields = {};
const UNKNOWN_MAX = 20;
const PATH_CHARACTERS_MAX = 120;

/** Only plain characters: the path is stored and shown. */
function pathOf(at: string, name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 60);
  return (at === '' ? plain : `${at}.${plain}`).slice(0, PATH_CHARACTERS_MAX);
}

/** The tier in which a call was served; undefined if it is the provider's standard one, or not reported. */
export function servedTier(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === 'default' || value === '') return undefined;
  const tier = value
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '_')
    .slice(0, 60);
  return standardTiers.has(tier) ? undefined : tier;
}

/** Where a call was served; undefined if the usual prices apply there, or not reported. */
export function servedGeo(value: unknown): string | undefined {
  return value === 'global' || value === 'not_available' ? undefined : servedTier(value);
}

/** What providers call the tier that their usual prices are for. */
const standardTiers = new Set(['default', 'standard', 'auto', 'on_demand', 'unspecified']);

/** Adds the tier of a response header, unless the usage names one. */
export function withServedTier(usage: Usage, header: unknown): Usage {
  const tier = servedTier(header);
  if (tier === undefined || usage.details?.tier !== undefined) return usage;
  return { ...usage, details: { ...usage.details, tier } };
}
