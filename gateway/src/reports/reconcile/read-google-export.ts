/** Reads the billing export of Google Cloud: rows of the BigQuery table as JSON, JSON lines or CSV. Pure. */
import { parseExact } from './exact-amount.ts';
import { ExportError, type ExportLine, type ExportRow, utcDayOf } from './export-line.ts';
import { amountTextIn, objectIn, textIn } from './read-export-field.ts';

/** Credits are not part of `cost`, and not of our side either. */
export function readGoogleRow(row: Record<string, unknown>, place: string): ExportLine {
  const project =
    typeof row.project === 'object' && row.project !== null ? objectIn(row.project, place).id : null;
  return lineOf(
    {
      start: textIn(row.usage_start_time, `${place}.usage_start_time`),
      sku: textIn(objectIn(row.sku, `${place}.sku`).description, `${place}.sku.description`),
      project: typeof project === 'string' ? project : null,
      cost: amountTextIn(row.cost, `${place}.cost`),
      currency: textIn(row.currency, `${place}.currency`),
    },
    place,
  );
}

/** Columns of nested fields are named with a dot or an underscore. */
export function readGoogleCsvRow(row: ExportRow, place: string): ExportLine {
  return lineOf(
    {
      start: row.usage_start_time ?? '',
      sku: row['sku.description'] ?? row.sku_description ?? '',
      project: (row['project.id'] ?? row.project_id) || null,
      cost: row.cost ?? '',
      currency: row.currency || 'USD',
    },
    place,
  );
}

function lineOf(
  of: { start: string; sku: string; project: string | null; cost: string; currency: string },
  place: string,
): ExportLine {
  const amount = parseExact(of.cost);
  if (amount === null) throw new ExportError(`${place}: cost is not a decimal number.`);
  if (of.sku === '') throw new ExportError(`${place}: sku.description is missing.`);
  const day = utcDayOf(of.start, `${place}: usage_start_time`);
  return { day, name: of.sku, project: of.project, amount, currency: of.currency.toUpperCase() };
}
