/** Details of usage as they are stored and shown, with the names of receipts. Pure. */
import type { ReceiptUsageDetails } from '../contract/receipt.ts';
import type { UsageDetails } from './usage.ts';

export function storedDetails(details: UsageDetails): ReceiptUsageDetails {
  const named = Object.entries(details).map(([name, value]) => [snakeCase(name), value]);
  return Object.fromEntries(named) as ReceiptUsageDetails;
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
