/** Chooses a calendar month (KST), by which everything is charged and limited. */
import { useId } from 'react';
import { currentLanguage } from '../text/language.ts';
import { useTexts } from '../text/say.ts';
import { addMonths, currentMonth, printKst, printMonth } from '../text/times.ts';
import style from './month-picker.module.css';
import { monthPickerTexts } from './month-picker-texts.ts';

const MONTHS_BACK = 24;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/** The month that an address names, or the current one. */
export function shownMonth(text: string | undefined): string {
  return text !== undefined && MONTH.test(text) ? text : currentMonth(Date.now());
}

export function MonthPicker({ month, onChoose }: { month: string; onChoose(month: string): void }) {
  const t = useTexts(monthPickerTexts);
  const id = useId();
  const newest = currentMonth(Date.now());
  const recent = Array.from({ length: MONTHS_BACK }, (_, i) => addMonths(newest, -i));
  const months = recent.includes(month) ? recent : [...recent, month].toSorted().toReversed();
  return (
    <div className={style.picker}>
      <button
        type="button"
        aria-label={t('earlier')}
        title={t('earlier')}
        onClick={() => onChoose(addMonths(month, -1))}
      >
        ‹
      </button>
      <label htmlFor={id} className="heard">
        {t('month')}
      </label>
      <select id={id} value={month} onChange={({ target }) => onChoose(target.value)}>
        {months.map((one) => (
          <option key={one} value={one}>
            {printMonth(one, currentLanguage())}
          </option>
        ))}
      </select>
      <button
        type="button"
        aria-label={t('later')}
        title={t('later')}
        disabled={month >= newest}
        onClick={() => onChoose(addMonths(month, 1))}
      >
        ›
      </button>
    </div>
  );
}

/** From when until when exactly. */
export function MonthPeriod({ start, end }: { start: string; end: string }) {
  const t = useTexts(monthPickerTexts);
  return <p className="hint">{t('period', { start: printKst(start), end: printKst(end) })}</p>;
}
