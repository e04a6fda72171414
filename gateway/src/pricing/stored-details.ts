/** Details of usage as they are stored and shown, with the names of receipts. Pure. */
import type { ReceiptUsageDetails } from '../contract/receipt.ts';
import type { UsageDetails } from './usage.ts';

export function storedDetails(details: UsageDetails): ReceiptUsageDetails {
  return renamed(details, (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

export function readStoredDetails(stored: ReceiptUsageDetails): UsageDetails {
  return renamed(stored, (name) => name.replaceAll(/_[a-z]/g, (letter) => letter.slice(1).toUpperCase()));
}

function renamed<Result>(fields: object, rename: (name: string) => string): Result {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [rename(name), value])) as Result;
}
