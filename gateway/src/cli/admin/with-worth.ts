/** Units as sentences of commands have them: `9 units (8.28 EUR)`. */
import { type CurrencyRate, printWorth } from '../../kernel/unit-value.ts';

/** `rate` null: the installation does not state what units are worth. */
export function withWorth(units: string, rate: CurrencyRate | null): string {
  return rate === null ? `${units} units` : `${units} units (${printWorth(units, rate)})`;
}
