/** The days of a calendar month. Pure. */

/** `2026-11-01` to `2026-11-30` */
export function daysOfMonth(month: string): string[] {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  return Array.from({ length: count }, (_, i) => `${month}-${String(i + 1).padStart(2, '0')}`);
}

/** From its first moment to the first moment of the next day, in Korean time. */
export function rangeOfDay(day: string): { from: string; until: string } {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
  return { from: `${day}T00:00:00+09:00`, until: `${next}T00:00:00+09:00` };
}
