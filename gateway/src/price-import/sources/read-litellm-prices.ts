/** Reads a LiteLLM price map (`model_prices_and_context_window.json`): prices per token, image, second and search. Pure. */

import { familyFacts, sourceFamily } from '../../catalog/dialects/price-families.ts';
import { effortNames } from '../../catalog/model-traits.ts';
import { type Capability, capabilities as known } from '../../contract/models.ts';
import { ConfigError } from '../../yaml/config-error.ts';
import { buildEntry, type PriceConditions, type SourcePrice } from './build-entry.ts';
import { type Data, type DataObject, isDataObject, NumberText } from './parse-data.ts';
import { readAmount } from './read-amount.ts';
import type { ModelFacts, SourceModel, SourceTakes } from './source-model.ts';

const PER_TOKEN = 6;
const PER_CALL = 3;

/** Its fields: our component, and by how many places the decimal point moves. */
const components: Readonly<Record<string, readonly [component: string, places: number]>> = {
  input_cost_per_token: ['input', PER_TOKEN],
  cache_read_input_token_cost: ['cached_input', PER_TOKEN],
  cache_creation_input_token_cost: ['cache_write', PER_TOKEN],
  cache_creation_input_token_cost_above_1hr: ['cache_write_1h', PER_TOKEN],
  input_cost_per_image_token: ['image_input', PER_TOKEN],
  cache_read_input_image_token_cost: ['cached_image_input', PER_TOKEN],
  input_cost_per_audio_token: ['audio_input', PER_TOKEN],
  cache_read_input_audio_token_cost: ['cached_audio_input', PER_TOKEN],
  output_cost_per_token: ['output', PER_TOKEN],
  output_cost_per_reasoning_token: ['reasoning', PER_TOKEN],
  output_cost_per_image_token: ['image_output', PER_TOKEN],
  output_cost_per_audio_token: ['audio_output', PER_TOKEN],
  input_cost_per_request: ['request', 0],
  output_cost_per_image: ['image.default', 0],
  output_cost_per_video_per_second: ['second.default', 0],
  code_interpreter_cost_per_session: ['tool.code_interpreter', PER_CALL],
};

const FIELD = /^(.+?)(?:_above_(\d+)k_tokens)?(?:_(batches|flex|priority))?$/;
const RESOLUTION = /^output_cost_per_second_(\d+p|4k)$/;
/** The first entry of the map describes the fields. */
const EXAMPLE = 'sample_spec';

export function readLitellmPrices(data: Data): SourceModel[] {
  if (!isDataObject(data)) throw new ConfigError('must be an object of models, as LiteLLM publishes it');
  return Object.entries(data).flatMap(([name, model]) => {
    if (name === EXAMPLE) return [];
    const provider = isDataObject(model) ? model.litellm_provider : null;
    if (!isDataObject(model)) throw new ConfigError(`${name} must be an object`);
    return typeof provider === 'string' ? [readModel(name, model, provider)] : [];
  });
}

function readModel(name: string, model: DataObject, provider: string): SourceModel {
  const notes: string[] = [];
  const prices = Object.entries(model).flatMap(([field, value]) =>
    readField(field, value, { name, model, notes }),
  );
  const built = buildEntry(withOutput(prices, model));
  const id = name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name;
  return {
    provider: sourceFamily(provider),
    id,
    matches: () => false,
    entries: prices.length === 0 ? [] : [built.entry],
    facts: readFacts(model),
    notes: [...notes, ...built.notes],
  };
}

interface Place {
  readonly name: string;
  readonly model: DataObject;
  readonly notes: string[];
}

function readField(field: string, value: Data, { name, model, notes }: Place): SourcePrice[] {
  const path = `${name}.${field}`;
  if (field === 'search_context_cost_per_query') return readSearch(value, { name, model, notes });
  if (field === 'provider_specific_entry') return readFactors(value, path);
  if (field === 'off_peak_pricing') {
    notes.push('off_peak_pricing: is not read; write its hours as rules');
    return [];
  }
  const resolution = RESOLUTION.exec(field)?.[1];
  if (resolution !== undefined || (field === 'output_cost_per_second' && model.mode === 'video_generation'))
    return amount(
      value,
      path,
      { component: `second.${resolution ?? 'default'}`, places: 0, conditions: {} },
      notes,
    );
  const [, base = '', thousands, mode] = FIELD.exec(field) ?? [];
  const found = components[base];
  if (found === undefined) {
    if (/cost|multiplier/.test(field) && !isSame(field, value, model))
      notes.push(`${field}: a price sheet has no such price`);
    return [];
  }
  const [component, places] = found;
  const conditions: PriceConditions = {
    ...(thousands !== undefined && { context_above: Number(thousands) * 1_000 }),
    ...(mode === 'batches' && { batch: true }),
    ...(mode !== undefined && mode !== 'batches' && { tier: mode }),
  };
  return amount(value, path, { component, places, conditions }, notes);
}

/** A second name for the price of cached tokens. */
function isSame(field: string, value: Data, { cache_read_input_token_cost: cached }: DataObject): boolean {
  if (field !== 'input_cost_per_token_cache_hit') return false;
  return value instanceof NumberText && cached instanceof NumberText && value.text === cached.text;
}

interface Wanted {
  readonly component: string;
  readonly places: number;
  readonly conditions: PriceConditions;
}

function amount(value: Data, path: string, wanted: Wanted, notes: string[]): SourcePrice[] {
  if (value === null) return [];
  const { component, places, conditions } = wanted;
  const shifted = readAmount(value, places, path);
  if (shifted !== null) return [{ conditions, component, amount: shifted }];
  notes.push(`${path.slice(path.lastIndexOf('.') + 1)}: needs more than 12 places`);
  return [];
}

/** A search costs the same whatever its size, or it cannot be priced: usage does not tell the size. */
function readSearch(value: Data, { name, model, notes }: Place): SourcePrice[] {
  const sizes = isDataObject(value) ? Object.values(value) : [];
  const texts = new Set(sizes.map((size) => (size instanceof NumberText ? size.text : '')));
  if (texts.size !== 1) {
    notes.push('search_context_cost_per_query: the price depends on the size of the search');
    return [];
  }
  const perQuery = model.web_search_billing_unit === 'per_query';
  const kinds = familyFacts(sourceFamily(String(model.litellm_provider)))?.searchKinds;
  const kind = kinds?.[perQuery ? 'perQuery' : 'perPrompt'] ?? 'web_search';
  const path = `${name}.search_context_cost_per_query`;
  const wanted = { component: `tool.${kind}`, places: PER_CALL, conditions: {} };
  return amount(sizes[0] as Data, path, wanted, notes);
}

/** Factors of Anthropic: `us` for the region, `fast` for the speed. */
function readFactors(value: Data, path: string): SourcePrice[] {
  if (!isDataObject(value)) return [];
  return Object.entries({ us: { geo: 'us' }, fast: { tier: 'fast' } }).flatMap(([name, conditions]) => {
    const factor = value[name];
    return factor === undefined
      ? []
      : amount(factor, `${path}.${name}`, { component: 'factor', places: 0, conditions }, []);
  });
}

/** An image model may have a price for image tokens only; an embedding model has an output price of 0. */
function withOutput(prices: readonly SourcePrice[], { mode }: DataObject): SourcePrice[] {
  if (mode === 'embedding') return prices.filter(({ component }) => component !== 'output');
  const isPlain = ({ conditions }: SourcePrice): boolean => Object.keys(conditions).length === 0;
  const image = prices.find((one) => one.component === 'image_output' && isPlain(one));
  if (mode !== 'image_generation' || image === undefined) return [...prices];
  if (prices.some((one) => one.component === 'output' && isPlain(one))) return [...prices];
  return [...prices, { ...image, component: 'output' }];
}

const supports: Readonly<Record<string, readonly Capability[]>> = {
  supports_vision: ['vision'],
  supports_function_calling: ['tools'],
  supports_response_schema: ['json_mode', 'json_schema'],
  supports_web_search: ['web_search'],
};

function readFacts(model: DataObject): ModelFacts {
  const found = Object.entries(supports).flatMap(([field, has]) => (model[field] === true ? has : []));
  const all = model.mode === 'chat' || model.mode === 'responses' ? [...found, 'streaming'] : found;
  return {
    contextTokens: countOf(model.max_input_tokens),
    outputTokensMax: countOf(model.max_output_tokens),
    capabilities: known.filter((capability) => all.includes(capability)),
    ...readTakes(model),
  };
}

/** Its fields for what a model takes in a request. */
const takenFields = {
  adaptiveThinking: 'supports_adaptive_thinking',
  sampling: 'supports_sampling_params',
  prefill: 'supports_assistant_prefill',
} as const satisfies Partial<Record<keyof SourceTakes, string>>;

function readTakes(model: DataObject): { takes?: SourceTakes } {
  const said = flagsIn(model, takenFields);
  const efforts = flagsIn(
    model,
    Object.fromEntries(effortNames.map((name) => [name, `supports_${name}_reasoning_effort`])),
  );
  const takes = { ...said, ...(Object.keys(efforts).length > 0 && { efforts }) };
  return Object.keys(takes).length === 0 ? {} : { takes };
}

function flagsIn(model: DataObject, fields: Readonly<Record<string, string>>): Record<string, boolean> {
  const found = Object.entries(fields).flatMap(([name, field]) => {
    const value = model[field];
    return typeof value === 'boolean' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(found);
}

function countOf(value: Data | undefined): number | null {
  return value instanceof NumberText && /^\d{1,12}$/.test(value.text) ? Number(value.text) : null;
}
