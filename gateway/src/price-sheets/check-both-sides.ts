/** Rejects markup and provider prices that name something unknown or contradict each other. */
import { SpaceName } from '../contract/administration/fields.ts';
import { Shape } from '../contract/check-shape.ts';
import { isId } from '../kernel/ids.ts';
import { parseUnits } from '../kernel/units.ts';
import { ConfigError, unknownName } from '../yaml/config-error.ts';
import type { ConfigProblems } from '../yaml/config-problems.ts';
import { checkEntries } from './check-prices.ts';
import type { MarkupEntry, PricedFile, PriceEntry } from './price-entry.ts';
import { chargedEntries } from './read-prices.ts';
import { isFromProvider } from './read-sheets.ts';

const spaceNames = new Shape(SpaceName);

/** `known` are the names of all models, also of those that could not be read. */
export function checkBothSides(file: PricedFile, known: readonly string[], problems: ConfigProblems): void {
  checkProviderPrices(file, problems);
  const { units_per_currency: rate } = file.prices ?? {};
  if (rate !== undefined && parseUnits(rate) === 0n)
    problems.add(ConfigError.at('prices.units_per_currency', 'must be more than 0'));
  const places = new Map<string, string>();
  for (const [i, rule] of (file.prices?.markup ?? []).entries()) {
    const path = `prices.markup[${i}]`;
    for (const error of mistakesInMarkup(rule, path, known)) problems.add(error);
    const conditions = JSON.stringify([rule.model ?? null, rule.space ?? null, rule.key ?? null]);
    const other = places.get(conditions);
    if (other !== undefined) problems.add(ConfigError.at(path, `has the same conditions as ${other}`));
    places.set(conditions, path);
  }
  for (const [code, entries] of Object.entries(file.prices?.models ?? {}))
    problems.attempt(() => checkSource(code, entries, file));
}

function* mistakesInMarkup(
  { model, space, key }: MarkupEntry,
  path: string,
  known: readonly string[],
): Iterable<ConfigError> {
  if (model !== undefined && !known.includes(model)) yield unknownName(`${path}.model`, model, known);
  if (key !== undefined && !isId('key', key))
    yield ConfigError.at(`${path}.key`, 'must be the id of a key, which begins with key_');
  if (space === undefined) return;
  if (key !== undefined)
    yield ConfigError.at(`${path}.space`, 'cannot stand beside key: a key belongs to one space');
  if (!spaceNames.matches(space)) yield ConfigError.at(`${path}.space`, 'must be the name of a space');
}

function checkProviderPrices({ provider_prices: sheet, models }: PricedFile, problems: ConfigProblems): void {
  const routes = Object.values(models).flatMap((model) => model.routes);
  const known = [...new Set(routes.map(({ provider, model }) => `${provider}/${model}`))];
  for (const [name, entries] of Object.entries(sheet?.models ?? {})) {
    const path = `provider_prices.models.${name}`;
    if (!known.includes(name)) problems.add(unknownName(path, name, known));
    const list = Array.isArray(entries) ? (entries as PriceEntry[]) : [entries as PriceEntry];
    if (list.some(({ from_provider }) => from_provider !== undefined))
      problems.add(ConfigError.at(`${path}.from_provider`, 'is only for prices.models'));
    checkEntries(entries, path, problems);
  }
}

/** Prices from the provider have to be the same on every route, because callers see one price. */
function checkSource(code: string, entries: unknown, file: PricedFile): void {
  const path = `prices.models.${code}`;
  if (Array.isArray(entries)) {
    const dated = entries.findIndex((entry) => (entry as PriceEntry).from_provider !== undefined);
    if (dated >= 0)
      throw ConfigError.at(
        `${path}[${dated}].from_provider`,
        'cannot be in a list: the provider prices may have dates',
      );
    return;
  }
  if (!isFromProvider(entries as PriceEntry)) return;
  const other = Object.keys(entries as PriceEntry).find((name) => name !== 'from_provider');
  if (other !== undefined) throw ConfigError.at(`${path}.${other}`, 'cannot stand beside from_provider');
  let first: { name: string; prices: string } | null = null;
  for (const { provider, model } of file.models[code]?.routes ?? []) {
    const name = `${provider}/${model}`;
    const found = file.provider_prices?.models[name];
    if (found === undefined)
      throw ConfigError.at(`${path}.from_provider`, `needs provider_prices.models.${name}`);
    const prices = JSON.stringify(chargedEntries({ [code]: found }));
    first ??= { name, prices };
    if (first.prices !== prices)
      throw ConfigError.at(
        `${path}.from_provider`,
        `needs one price for all routes, but ${first.name} and ${name} differ; write the prices of the model instead`,
      );
  }
}
