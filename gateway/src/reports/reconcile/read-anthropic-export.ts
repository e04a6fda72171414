/** Reads costs of Anthropic: pages of `GET /v1/organizations/cost_report`, or the CSV of the cost page. Pure. */
import { parseExact } from './exact-amount.ts';
import { ExportError, type ExportLine, type ExportRow, utcDayOf } from './export-line.ts';
import { amountTextIn, listIn, objectIn, textIn } from './read-export-field.ts';

/** Amounts of the report are cents. */
const CENTS = -2;

/** `bucket` is one day. */
export function readAnthropicBucket(bucket: Record<string, unknown>, place: string): ExportLine[] {
  const day = utcDayOf(textIn(bucket.starting_at, `${place}.starting_at`), `${place}.starting_at`);
  return listIn(bucket.results, `${place}.results`).map((result, i) => {
    const at = `${place}.results[${i}]`;
    const { amount, currency, model, description, workspace_id: workspace } = objectIn(result, at);
    // Fees for searches have a description and no model.
    const name = model ?? description;
    if (typeof name !== 'string')
      throw new ExportError(
        `${at} has no model. Export the costs with group_by[]=description (and workspace_id).`,
      );
    const exact = parseExact(amountTextIn(amount, `${at}.amount`), CENTS);
    if (exact === null) throw new ExportError(`${at}.amount is not a decimal number.`);
    const project = typeof workspace === 'string' ? workspace : null;
    return { day, name, project, amount: exact, currency: textIn(currency, `${at}.currency`).toUpperCase() };
  });
}

export function readAnthropicRow(row: ExportRow, place: string): ExportLine {
  const amount = parseExact(row.cost_usd ?? '');
  if (amount === null) throw new ExportError(`${place}: cost_usd is not a decimal number.`);
  return {
    day: utcDayOf(row.usage_date_utc ?? '', `${place}: usage_date_utc`),
    name: row.model || row.cost_type || 'other',
    project: row.workspace || null,
    amount,
    currency: 'USD',
  };
}
