/** What units are worth in the currency of the installation, with the digits of the API. */
import { type CurrencyRate, inCurrency } from '../../../gateway/src/kernel/unit-value.ts';
import style from './unit-amount.module.css';
import { groupDigits } from './unit-amount.tsx';

/** Below the units. Nothing without a rate: the installation does not state what they are worth. */
export function WorthNote({ units, rate }: { units: string; rate: CurrencyRate | null }) {
  if (rate === null) return null;
  return (
    <span className={style.worth}>
      {shownWorth(units, rate)} {rate.currency}
    </span>
  );
}

/** For columns that name the currency at their head. */
export function shownWorth(units: string, rate: CurrencyRate): string {
  return groupDigits(inCurrency(units, rate));
}
