/** Reads a file of prices by its kind. Errors say where in the file. Pure. */
import { ConfigError } from '../../yaml/config-error.ts';
import { parseData } from './parse-data.ts';
import { readCsvPrices } from './read-csv-prices.ts';
import { readGenaiPrices } from './read-genai-prices.ts';
import { readLitellmPrices } from './read-litellm-prices.ts';
import type { SourceKind, SourceModel } from './source-model.ts';

export function readPriceSource(text: string, kind: SourceKind): SourceModel[] {
  const models = kind === 'csv' ? readCsvPrices(text) : readData(text, kind);
  if (models.length === 0) throw new ConfigError('has no prices');
  return models;
}

function readData(text: string, kind: Exclude<SourceKind, 'csv'>): SourceModel[] {
  const data = parseData(text);
  return kind === 'litellm' ? readLitellmPrices(data) : readGenaiPrices(data);
}

/** By how the file begins: a list or a script, an object, or else a header line. */
export function recogniseSource(text: string): SourceKind {
  const start = text.replace(/^\uFEFF/, '').trimStart();
  if (start.startsWith('{')) return 'litellm';
  return /^(\[|(export |const |let |var ))/.test(start) ? 'genai-prices' : 'csv';
}
