/** Recognises the format of a provider's cost export and reads its lines. Pure. */
import { CsvError, parseCsv } from '../../kernel/parse-csv.ts';
import { type CostExport, ExportError, type ExportLine, type ExportRow } from './export-line.ts';
import { readAnthropicBucket, readAnthropicRow } from './read-anthropic-export.ts';
import { listIn, objectIn, parseExactJson } from './read-export-field.ts';
import { readGoogleCsvRow, readGoogleRow } from './read-google-export.ts';
import { readOpenAiBucket, readOpenAiRow } from './read-openai-export.ts';

const UNKNOWN =
  'This is no cost export that can be read. Supported: the costs of OpenAI and Anthropic (pages of their API as JSON, ' +
  'or CSV), and the billing export of Google Cloud (JSON, JSON lines or CSV).';

export function readCostExport(text: string): CostExport {
  return /^\s*[[{]/.test(text) ? readJson(text) : readRows(text);
}

function readJson(text: string): CostExport {
  const values = parseValues(text);
  const [first] = values;
  if (first === undefined) throw new ExportError('The export is empty.');
  const { data, sku } = objectIn(first, 'The first row');
  if (sku !== undefined) {
    const lines = values.map((row, i) => readGoogleRow(objectIn(row, `row ${i + 1}`), `row ${i + 1}`));
    return { format: 'google', describes: true, lines };
  }
  if (!Array.isArray(data)) throw new ExportError(UNKNOWN);
  return readPages(values);
}

/** One value, a list of values, or a value on each line. */
function parseValues(text: string): readonly unknown[] {
  try {
    const value = parseExactJson(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    try {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      return lines.map(parseExactJson);
    } catch {
      throw new ExportError(UNKNOWN);
    }
  }
}

function readPages(pages: readonly unknown[]): CostExport {
  if ((pages.at(-1) as { has_more?: unknown }).has_more === true)
    throw new ExportError(
      'The export is incomplete: has_more is true. Fetch the other pages too, and write all of them as one JSON list.',
    );
  const buckets = pages.flatMap((page, i) => {
    const place = pages.length === 1 ? 'data' : `[${i}].data`;
    return listIn(objectIn(page, place).data, place).map(
      (bucket, k) => [objectIn(bucket, `${place}[${k}]`), `${place}[${k}]`] as const,
    );
  });
  const anthropic = buckets.some(([bucket]) => bucket.starting_at !== undefined);
  const read = anthropic ? readAnthropicBucket : readOpenAiBucket;
  const lines = buckets.flatMap(([bucket, place]) => read(bucket, place));
  return { format: anthropic ? 'anthropic' : 'openai', describes: false, lines };
}

function readRows(text: string): CostExport {
  const rows = parse(text);
  const first = rows[0]?.cells;
  if (first === undefined) throw new ExportError('The export has no rows.');
  const each = (read: (row: ExportRow, place: string) => ExportLine): ExportLine[] =>
    rows.map(({ line, cells }) => read(cells, `line ${line}`));
  if ('amount_value' in first) return { format: 'openai', describes: false, lines: each(readOpenAiRow) };
  if ('usage_date_utc' in first && 'cost_usd' in first)
    return { format: 'anthropic', describes: false, lines: each(readAnthropicRow) };
  if ('usage_start_time' in first && 'cost' in first)
    return { format: 'google', describes: true, lines: each(readGoogleCsvRow) };
  throw new ExportError(UNKNOWN);
}

function parse(text: string): ReturnType<typeof parseCsv>['rows'] {
  try {
    return parseCsv(text).rows;
  } catch (error) {
    throw error instanceof CsvError ? new ExportError(`The export cannot be read: ${error.message}.`) : error;
  }
}
