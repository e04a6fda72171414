/** Reads the data of genai-prices (`data.json`, or the script of its npm package). Its arithmetic is not used. Pure. */

import { sourceFamily } from '../../catalog/dialects/price-families.ts';
import type { PricingHours } from '../../contract/price-hours.ts';
import type { PriceEntry } from '../../price-sheets/price-entry.ts';
import { ConfigError } from '../../yaml/config-error.ts';
import { buildEntry, type PriceConditions, type SourcePrice } from './build-entry.ts';
import { shiftDecimal } from './decimal-text.ts';
import { type Data, type DataObject, isDataObject, NumberText } from './parse-data.ts';
import { readAmount } from './read-amount.ts';
import type { SourceModel } from './source-model.ts';

/** Its price keys: our component, and by how many places the decimal point moves. */
const components: Readonly<Record<string, readonly [component: string, places: number]>> = {
  input_mtok: ['input', 0],
  cache_read_mtok: ['cached_input', 0],
  cache_write_mtok: ['cache_write', 0],
  cache_write_5m_mtok: ['cache_write_5m', 0],
  cache_write_1h_mtok: ['cache_write_1h', 0],
  input_image_mtok: ['image_input', 0],
  cache_image_read_mtok: ['cached_image_input', 0],
  input_audio_mtok: ['audio_input', 0],
  cache_audio_read_mtok: ['cached_audio_input', 0],
  output_mtok: ['output', 0],
  output_reasoning_mtok: ['reasoning', 0],
  output_image_mtok: ['image_output', 0],
  output_audio_mtok: ['audio_output', 0],
  requests_kcount: ['request', -3],
  web_searches_kcount: ['tool.web_search', 0],
  storage_searches_kcount: ['tool.file_search', 0],
  code_executions_kcount: ['tool.code_execution', 0],
};

export function readGenaiPrices(data: Data): SourceModel[] {
  if (!Array.isArray(data))
    throw new ConfigError('must be a list of providers, as genai-prices publishes it');
  return (data as readonly Data[]).flatMap((provider, i) => {
    const id = isDataObject(provider) ? provider.id : null;
    const models = isDataObject(provider) ? provider.models : null;
    if (typeof id !== 'string' || !Array.isArray(models))
      throw new ConfigError(`[${i}] must have an id and models`);
    return (models as readonly Data[]).map((model, k) => readModel(model, id, `${id}.models[${k}]`));
  });
}

function readModel(model: Data, provider: string, path: string): SourceModel {
  if (!isDataObject(model) || typeof model.id !== 'string') throw new ConfigError(`${path} must have an id`);
  const notes: string[] = [];
  const { context_window: context } = model;
  return {
    provider: sourceFamily(provider),
    id: model.id,
    matches: (upstreamModel) => matchesModel(model.match, upstreamModel),
    entries: readEntries(model.prices, `${path}.prices`, notes),
    facts: {
      contextTokens: context instanceof NumberText ? Number(context.text) : null,
      outputTokensMax: null,
      capabilities: [],
    },
    notes,
  };
}

function readEntries(prices: Data | undefined, path: string, notes: string[]): PriceEntry[] {
  if (isDataObject(prices)) return readEntry([{ prices, hours: null, path }], notes);
  if (!Array.isArray(prices)) throw new ConfigError(`${path} must be prices, or a list of them`);
  const dated: Array<{ from: string | null; parts: Part[] }> = [];
  for (const [i, one] of (prices as readonly Data[]).entries()) {
    const place = `${path}[${i}]`;
    if (!isDataObject(one) || !isDataObject(one.prices)) throw new ConfigError(`${place}.prices is missing`);
    const constraint = isDataObject(one.constraint) ? one.constraint : {};
    const part = { prices: one.prices, hours: readHours(constraint, place), path: `${place}.prices` };
    const last = dated.at(-1);
    // Hours belong to the prices with a date that they follow.
    if (part.hours !== null && last !== undefined) last.parts.push(part);
    else dated.push({ from: readDate(constraint, place), parts: [part] });
  }
  if (dated.some(({ parts }) => parts.some(({ hours }) => hours !== null)))
    notes.push('its prices depend on the time of day; the source does not say on which days');
  return dated.flatMap(({ from, parts }) =>
    readEntry(parts, notes).map((entry) => ({ ...(from !== null && { from }), ...entry })),
  );
}

/** Prices for all hours, or for some of them. */
interface Part {
  readonly prices: DataObject;
  readonly hours: PricingHours | null;
  readonly path: string;
}

function readDate({ start_date: date }: DataObject, place: string): string | null {
  if (date === undefined) return null;
  if (typeof date !== 'string' || Number.isNaN(Date.parse(date)))
    throw new ConfigError(`${place}.constraint.start_date is not a date`);
  return `${date}T00:00:00Z`;
}

/** From `00:30:00Z` to `16:30:00Z`, without the end. */
function readHours({ start_time: start, end_time: end }: DataObject, place: string): PricingHours | null {
  if (start === undefined && end === undefined) return null;
  return {
    from: readClock(start, `${place}.constraint.start_time`),
    to: readClock(end, `${place}.constraint.end_time`),
  };
}

const CLOCK = /^((?:[01]\d|2[0-3]):[0-5]\d)(?::00(?:\.0+)?)?(?:Z|\+00:00)$/;

function readClock(text: Data | undefined, place: string): string {
  const clock = typeof text === 'string' ? CLOCK.exec(text)?.[1] : undefined;
  if (clock === undefined) throw new ConfigError(`${place} must be a whole minute in UTC, such as 16:30:00Z`);
  return clock;
}

/** Empty if none of its prices can be expressed. */
function readEntry(parts: readonly Part[], notes: string[]): PriceEntry[] {
  const found = parts.flatMap((part) => readPart(part, notes));
  if (found.length === 0) return [];
  const built = buildEntry(found);
  notes.push(...built.notes);
  return [built.entry];
}

function readPart({ prices, hours, path }: Part, notes: string[]): SourcePrice[] {
  return Object.entries(prices).flatMap(([key, value]) => {
    const known = components[key];
    const read = known === undefined ? null : readPrice(value, known, `${path}.${key}`);
    if (read === null) {
      const problem = known === undefined ? 'a price sheet has no such price' : 'needs more than 12 places';
      notes.push(`${key}: ${problem}`);
      return [];
    }
    if (hours === null) return read;
    return read.map((price) => ({ ...price, conditions: { ...price.conditions, hours } }));
  });
}

/** One amount, or one that changes with the length of the prompt: above `start`, for the whole call. */
function readPrice(
  value: Data,
  [component, places]: readonly [string, number],
  path: string,
): SourcePrice[] | null {
  const steps = isDataObject(value) ? readTiers(value, path) : [{ conditions: {}, value, path }];
  const read = steps.map(({ conditions, value: price, path: place }) => ({
    conditions,
    component,
    amount: readAmount(price, places, place),
  }));
  return read.every((one): one is SourcePrice => one.amount !== null) ? read : null;
}

interface Step {
  readonly conditions: PriceConditions;
  readonly value: Data | undefined;
  readonly path: string;
}

function readTiers(value: DataObject, path: string): Step[] {
  if (!Array.isArray(value.tiers)) throw new ConfigError(`${path}.tiers must be a list`);
  const tiers = (value.tiers as readonly Data[]).map((tier, i): Step => {
    const place = `${path}.tiers[${i}]`;
    const start =
      isDataObject(tier) && tier.start instanceof NumberText ? shiftDecimal(tier.start.text, 0) : null;
    if (start === null || start.includes('.')) throw new ConfigError(`${place}.start must be a whole number`);
    return {
      conditions: { context_above: Number(start) },
      value: (tier as DataObject).price,
      path: `${place}.price`,
    };
  });
  return [{ conditions: {}, value: value.base, path: `${path}.base` }, ...tiers];
}

/** The conditions with which genai-prices recognises a model by its name. Pure. */
const tests: Readonly<Record<string, (name: string, text: string) => boolean>> = {
  equals: (name, text) => name === text,
  starts_with: (name, text) => name.startsWith(text),
  ends_with: (name, text) => name.endsWith(text),
  contains: (name, text) => name.includes(text),
  regex: matchesPattern,
};

function matchesModel(logic: Data | undefined, upstreamModel: string): boolean {
  if (!isDataObject(logic)) return false;
  const name = upstreamModel.toLowerCase();
  return Object.entries(logic).some(([kind, value]) => {
    if (Array.isArray(value)) {
      const parts = value as readonly Data[];
      return kind === 'and'
        ? parts.every((part) => matchesModel(part, name))
        : parts.some((part) => matchesModel(part, name));
    }
    return typeof value === 'string' && (tests[kind]?.(name, value.toLowerCase()) ?? false);
  });
}

function matchesPattern(name: string, pattern: string): boolean {
  try {
    return new RegExp(pattern).test(name);
  } catch {
    return false;
  }
}
