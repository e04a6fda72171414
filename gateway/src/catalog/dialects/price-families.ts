/** Whose prices there are, by the names that the dialects and their vendors declare. Pure. */

import type { DialectFacts, ServiceFacts } from './dialect-facts.ts';
import { dialectFacts } from './dialects.ts';

interface PricedService extends ServiceFacts {
  readonly family: string;
}

const priced: readonly PricedService[] = Object.values(dialectFacts).flatMap((facts) => [
  ...(facts.priceFamily === undefined ? [] : [{ ...facts, family: facts.priceFamily }]),
  ...Object.entries({ ...facts.vendors, ...facts.services }).map(([family, row]) => ({ ...row, family })),
]);
const bySourceName = new Map(
  priced.flatMap(({ sourceNames = [], family }) => sourceNames.map((name) => [name, family] as const)),
);

/** The family that a price source means by this name. */
export function sourceFamily(name: string): string {
  return bySourceName.get(name) ?? name;
}

/** The family of the service at this host; null if it is unknown. */
export function familyAt(host: string): string | null {
  const at = priced.find(
    (one) => one.host !== undefined && (host === one.host || host.endsWith(`.${one.host}`)),
  );
  return at?.family ?? null;
}

/** What the dialect says that has these prices itself; null if none does. */
export function familyFacts(family: string): DialectFacts | null {
  return Object.values(dialectFacts).find(({ priceFamily }) => priceFamily === family) ?? null;
}
