/** How much of a limit is used. The figures are beside the bar; the bar is only for the eye. */

import { useTexts } from '../text/say.ts';
import { wordTexts } from '../text/word-texts.ts';
import style from './meter.module.css';
import { groupDigits, UnitAmount } from './unit-amount.tsx';

const NEAR = 0.8;

interface MeterProps {
  readonly spent: string;
  /** Null: only what was spent is shown. */
  readonly limit: string | null;
  /** May still be spent by what runs. */
  readonly reserved?: string;
}

export function Meter({ spent, limit, reserved = '0' }: MeterProps) {
  const t = useTexts(wordTexts);
  if (limit === null) return <UnitAmount value={spent} />;
  // A share of a bar is no money: a number is exact enough.
  const share = Number(limit) === 0 ? 1 : Math.min(1, Number(spent) / Number(limit));
  const waits = Math.min(1 - share, Number(reserved) / Number(limit));
  const tone = share >= 1 ? style.full : share >= NEAR ? style.near : '';
  return (
    <span
      className={style.meter}
      title={t('spentOf', { spent: groupDigits(spent), limit: groupDigits(limit) })}
    >
      <span className={style.figures}>
        <UnitAmount value={spent} /> / <UnitAmount value={limit} />
      </span>
      <span className={style.track} aria-hidden="true">
        <span className={`${style.bar} ${tone}`} style={{ width: `${share * 100}%` }} />
        {waits > 0 && <span className={style.waits} style={{ width: `${waits * 100}%` }} />}
      </span>
    </span>
  );
}
