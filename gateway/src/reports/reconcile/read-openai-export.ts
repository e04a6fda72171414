/** Reads costs of OpenAI: pages of `GET /v1/organization/costs`, or the CSV of the usage page. Pure. */
import { isoOf } from '../../kernel/time.ts';
import { parseExact } from './exact-amount.ts';
import { ExportError, type ExportLine, type ExportRow, utcDayOf } from './export-line.ts';
import { type ExactNumber, listIn, objectIn, textIn } from './read-export-field.ts';

/** `bucket` is one day. */
export function readOpenAiBucket(bucket: Record<string, unknown>, place: string): ExportLine[] {
  const start = numberIn(bucket.start_time, `${place}.start_time`);
  const day = utcDayOf(isoOf(Number(start) * 1_000), `${place}.start_time`);
  return listIn(bucket.results, `${place}.results`).map((result, i) => {
    const at = `${place}.results[${i}]`;
    const { amount, line_item: item, project_id: project } = objectIn(result, at);
    const { value, currency } = objectIn(amount, `${at}.amount`);
    return lineOf(
      { day, item, project, value: numberIn(value, `${at}.amount.value`), currency: textIn(currency, at) },
      at,
    );
  });
}

export function readOpenAiRow(row: ExportRow, place: string): ExportLine {
  const { start_time_iso: iso, start_time: start = '' } = row;
  const day = utcDayOf(
    iso || (/^\d{9,11}$/.test(start) ? isoOf(Number(start) * 1_000) : start),
    `${place}: start_time`,
  );
  return lineOf(
    {
      day,
      item: row.line_item || null,
      project: row.project_id || null,
      value: row.amount_value ?? '',
      currency: row.amount_currency || 'usd',
    },
    place,
  );
}

function lineOf(
  of: { day: string; item: unknown; project: unknown; value: string; currency: string },
  place: string,
): ExportLine {
  if (typeof of.item !== 'string')
    throw new ExportError(
      `${place} has no line_item, so its model is unknown. Export the costs with group_by=line_item (and project_id).`,
    );
  const amount = parseExact(of.value);
  if (amount === null) throw new ExportError(`${place} has no amount that can be read.`);
  // "gpt-4o-2024-08-06, input": the model comes first.
  const [name = ''] = of.item.split(',');
  const project = typeof of.project === 'string' ? of.project : null;
  return { day: of.day, name: name.trim(), project, amount, currency: of.currency.toUpperCase() };
}

function numberIn(value: unknown, place: string): string {
  const text = (value as ExactNumber | undefined)?.number ?? value;
  if (typeof text === 'string' && text !== '') return text;
  throw new ExportError(`${place} is missing.`);
}
