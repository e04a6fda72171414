/** An amount of units with the digits of the API, complete to the last decimal. */

import { useTexts } from '../text/say.ts';
import { wordTexts } from '../text/word-texts.ts';
import style from './unit-amount.module.css';

/** `null` is not known, which is not zero. */
export function UnitAmount({ value }: { value: string | null }) {
  const t = useTexts(wordTexts);
  if (value === null) {
    return (
      <span className={style.unknown} title={t('unknownCost')}>
        {t('unknown')}
      </span>
    );
  }
  return <span className={style.units}>{groupDigits(value)}</span>;
}

/** `1234567.5` becomes `1,234,567.5`: only the digits before the point are grouped. */
export function groupDigits(value: string): string {
  const [whole = '', rest] = value.split('.');
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}
