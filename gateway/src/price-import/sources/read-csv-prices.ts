/**
 * Reads prices from CSV: a row for each price, with the columns `provider`, `model`, `component` and `price`, and if
 * needed `context_above`, `tier`, `geo`, `batch`, `hours`, `days` and `from`. Errors name the line. Pure.
 */

import { sourceFamily } from '../../catalog/dialects/price-families.ts';
import { Shape } from '../../contract/check-shape.ts';
import { tokenComponents } from '../../contract/price-components.ts';
import { PricingHours } from '../../contract/price-hours.ts';
import { CsvError, type CsvRow, parseCsv } from '../../kernel/parse-csv.ts';
import type { PriceEntry } from '../../price-sheets/price-entry.ts';
import { ConfigError } from '../../yaml/config-error.ts';
import { buildEntry, type PriceConditions, type SourcePrice } from './build-entry.ts';
import { shiftDecimal } from './decimal-text.ts';
import { noFacts, type SourceModel } from './source-model.ts';

const REQUIRED = ['provider', 'model', 'component', 'price'];
const COLUMNS = [...REQUIRED, 'context_above', 'tier', 'geo', 'batch', 'hours', 'days', 'from'];
const COMPONENT = /^(request|factor|(tool|image|second)\.[A-Za-z0-9_/.x-]{1,60})$/;
const hoursShape = new Shape(PricingHours);
const DAY = /^\d{4}-\d{2}-\d{2}$/;

interface PriceRow extends SourcePrice {
  readonly provider: string;
  readonly model: string;
  /** Empty: from the beginning. */
  readonly from: string;
}

export function readCsvPrices(text: string): SourceModel[] {
  const { header, rows } = parse(text);
  const missing = REQUIRED.find((name) => !header.includes(name));
  if (missing !== undefined) throw new ConfigError(`line 1 needs the column ${missing}`);
  const unknown = header.find((name) => !COLUMNS.includes(name));
  if (unknown !== undefined)
    throw new ConfigError(`line 1 has the unknown column ${unknown}; known: ${COLUMNS.join(', ')}`);
  const models = Map.groupBy(rows.map(readRow), ({ provider, model }) => `${provider} ${model}`);
  return [...models.values()].map((own) => {
    const [{ provider, model }] = own as [PriceRow];
    const notes: string[] = [];
    return {
      provider: sourceFamily(provider),
      id: model,
      matches: () => false,
      entries: readEntries(own, notes),
      facts: noFacts,
      notes,
    };
  });
}

function parse(text: string): ReturnType<typeof parseCsv> {
  try {
    return parseCsv(text);
  } catch (error) {
    throw error instanceof CsvError ? new ConfigError(error.message) : error;
  }
}

function readEntries(rows: readonly PriceRow[], notes: string[]): PriceEntry[] {
  const byDate = [...Map.groupBy(rows, ({ from }) => from)];
  byDate.sort(([a], [b]) => (a === '' ? 0 : Date.parse(a)) - (b === '' ? 0 : Date.parse(b)));
  return byDate.map(([from, own]) => {
    const built = buildEntry(own);
    notes.push(...built.notes);
    return { ...(from !== '' && { from }), ...built.entry };
  });
}

function readRow({ line, cells }: CsvRow): PriceRow {
  const cell = (name: string): string => cells[name] ?? '';
  const wrong = (problem: string): ConfigError => new ConfigError(`line ${line}: ${problem}`);
  const [provider, model, component] = [cell('provider'), cell('model'), cell('component')];
  if (provider === '' || model === '') throw wrong('provider and model must not be empty');
  if (!tokenComponents.some((one) => one === component) && !COMPONENT.test(component))
    throw wrong(`component ${JSON.stringify(component.slice(0, 80))} is unknown; see docs/prices.md`);
  const amount = shiftDecimal(cell('price'), 0);
  if (amount === null) throw wrong('price must be a number that is not negative, with at most 12 places');
  return {
    provider,
    model,
    component,
    amount,
    conditions: readConditions(cell, wrong),
    from: readFrom(cell('from'), wrong),
  };
}

type Wrong = (problem: string) => ConfigError;

function readConditions(cell: (name: string) => string, wrong: Wrong): PriceConditions {
  const [above, batch] = [cell('context_above'), cell('batch')];
  if (!/^([1-9]\d{0,11})?$/.test(above)) throw wrong('context_above must be a whole number');
  if (!['', 'true', 'false'].includes(batch)) throw wrong('batch must be true or false');
  return {
    ...(above !== '' && { context_above: Number(above) }),
    ...(cell('tier') !== '' && { tier: cell('tier') }),
    ...(cell('geo') !== '' && { geo: cell('geo') }),
    ...(batch === 'true' && { batch: true }),
    ...readHours(cell, wrong),
  };
}

/** `16:30-00:30`, and the days as in `mon tue`. */
function readHours(cell: (name: string) => string, wrong: Wrong): Pick<PriceConditions, 'hours'> {
  const [hours, days] = [cell('hours'), cell('days')];
  if (hours === '' && days === '') return {};
  const [from = '', to = '', ...rest] = hours.split('-');
  const read = { from, to, ...(days !== '' && { days: days.split(' ') }) };
  if (rest.length > 0 || !hoursShape.matches(read))
    throw wrong('hours must be as in 16:30-00:30, in UTC, and days as in mon tue');
  return { hours: read };
}

/** A day begins in UTC; write a time with its offset for anything else. */
function readFrom(text: string, wrong: Wrong): string {
  const from = DAY.test(text) ? `${text}T00:00:00Z` : text;
  if (from !== '' && Number.isNaN(Date.parse(from)))
    throw wrong('from must be a day, or a date and time with its offset');
  return from;
}
