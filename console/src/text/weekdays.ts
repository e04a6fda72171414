/** Hours and days of the week as people read them. Pure. */
import { dayRuns, type Weekday, weekdays } from '../../../gateway/src/contract/price-hours.ts';
import type { Language } from './language.ts';
import { printWeekday } from './times.ts';

/** `Mon–Fri`, `Mon, Wed` */
export function printWeekdays(days: readonly Weekday[], language: Language): string {
  const name = (day: Weekday): string => printWeekday(weekdays.indexOf(day), language);
  return dayRuns(days)
    .map((run) => run.map(name).join('–'))
    .join(', ');
}

/** A time of day in UTC in KST: `16:30` is `01:30`. */
export function clockInKst(clock: string): string {
  const [hour = 0, minute = 0] = clock.split(':').map(Number);
  return `${String((hour + 9) % 24).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}
