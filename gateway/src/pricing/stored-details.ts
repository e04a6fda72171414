/** Usage and charges as they are stored and shown, with the names of receipts. Pure. */
import type { ReceiptLine, ReceiptUsageDetails } from '../contract/receipt.ts';
import { printUnits } from '../kernel/units.ts';
import type { Charge } from './price.ts';
import type { Usage, UsageDetails } from './usage.ts';

export function storedDetails(details: UsageDetails): ReceiptUsageDetails {
  return renamed(details, snakeCase) as ReceiptUsageDetails;
}

/** The details with what had no price and what could not be true; null if there is none of it. */
export function detailsWithMissing(
  details: UsageDetails | undefined,
  missing: readonly string[] = [],
  implausible?: Usage,
): ReceiptUsageDetails | null {
  if (details === undefined && missing.length === 0 && implausible === undefined) return null;
  return {
    ...storedDetails(details ?? {}),
    ...(missing.length > 0 && { missing: [...missing] }),
    ...(implausible !== undefined && {
      implausible: { input_tokens: implausible.inputTokens, output_tokens: implausible.outputTokens },
    }),
  };
}

/** The reverse of `storedDetails`. Undefined if nothing was stored that a price could depend on. */
export function readStoredDetails(stored: ReceiptUsageDetails | null): UsageDetails | undefined {
  const { missing: _, implausible: __, ...details } = stored ?? {};
  return Object.keys(details).length === 0 ? undefined : (renamed(details, camelCase) as UsageDetails);
}

export function storedLines(charge: Charge): ReceiptLine[] {
  return charge.lines.map(({ component, count, price, amount }) => ({
    component,
    count,
    price: printUnits(price),
    amount: printUnits(amount),
  }));
}

function renamed(fields: object, rename: (name: string) => string): object {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [rename(name), value]));
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
