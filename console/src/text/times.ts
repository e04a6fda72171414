/** Times as people read them: in Korean standard time, by which months are counted, and in their own zone. Pure. */
import type { Language } from './language.ts';

const KST = 'Asia/Seoul';

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', ko: 'ko-KR' };

/** `2026-11-16 14:13:24` */
export function printKst(at: string | number): string {
  return printIn(KST, at);
}

/** In the zone of the browser, with its name. */
export function printLocal(at: string | number): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return `${printIn(zone, at)} ${zone}`;
}

function printIn(timeZone: string, at: string | number): string {
  // The Swedish way of writing a date is the ISO way.
  return new Date(at).toLocaleString('sv-SE', { timeZone });
}

/** `3 minutes ago` */
export function printAgo(at: string | number, now: number, language: Language): string {
  const format = new Intl.RelativeTimeFormat(locales[language], { numeric: 'auto' });
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const steps = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ] as const;
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return format.format(Math.trunc(seconds / size), unit);
}

/** The current calendar month (KST) as `2026-11`. */
export function currentMonth(now: number): string {
  return printKst(now).slice(0, 7);
}

/** `months` may be negative. */
export function addMonths(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const all = year * 12 + number - 1 + months;
  return `${Math.floor(all / 12)}-${String((all % 12) + 1).padStart(2, '0')}`;
}

/** `November 2026` */
export function printMonth(month: string, language: Language): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1)).toLocaleDateString(locales[language], {
    year: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
}

/** `24 Nov`, in Korean standard time. */
export function printDay(at: string, language: Language): string {
  return new Date(at).toLocaleDateString(locales[language], {
    day: 'numeric',
    month: 'short',
    timeZone: KST,
  });
}

/** `Mon`; Monday is 0. */
export function printWeekday(day: number, language: Language): string {
  const monday = Date.UTC(2026, 10, 16);
  return new Date(monday + day * 86_400_000).toLocaleDateString(locales[language], {
    weekday: 'short',
    timeZone: 'UTC',
  });
}

export function printCount(count: number, language: Language): string {
  return count.toLocaleString(locales[language]);
}

/** `284 ms`, `12.4 s` */
export function printDuration(ms: number): string {
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** `1.2 MB` */
export function printBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [size, unit] = [bytes, 0];
  while (size >= 1000 && unit < units.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}
