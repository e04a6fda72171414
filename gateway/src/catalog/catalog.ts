/** The current models, providers and prices. Immutable; replaced as a whole when the file changes. */
import type { ModelObject } from '../contract/models.ts';
import { type ModelEndpoint, pathsOf } from '../contract/paid-endpoints.ts';
import { nearest } from '../kernel/nearest.ts';
import { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import type { UnitValue } from '../kernel/unit-value.ts';
import type { PriceSheet } from '../price-sheets/read-sheets.ts';
import type { PricedCaller } from '../pricing/markup.ts';
import type { Model } from './model.ts';
import type { ProviderSettings } from './provider-settings.ts';
import { shownPricing } from './shown-pricing.ts';

/** The caller whose models are listed. */
export interface ModelUser {
  readonly spaceName: string;
  /** The models that the key may use; null: all models of the space. */
  readonly models: ReadonlySet<string> | null;
  /** The names that the space has given to models; absent: none. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Whose prices are shown; absent: those of the space. */
  readonly keyId?: string;
}

export class Catalog {
  readonly providers: readonly ProviderSettings[];
  readonly priceSheet: PriceSheet;
  /** What providers charge; null: unknown. */
  readonly providerSheet: PriceSheet | null;
  /** How many units one unit of the providers' currency is worth; null: they have no prices. */
  readonly unitsPerCurrency: string | null;
  /** What the installation says units are worth; null: nothing. */
  readonly unitValue: UnitValue | null;
  readonly models: ReadonlyMap<string, Model>;
  /** Names of models for all spaces. A space may give the same name to another model. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly #seen = new Map<string, readonly Model[]>();
  readonly #lists = new Map<string, RenderedList>();

  constructor(parts: {
    providers: readonly ProviderSettings[];
    priceSheet: PriceSheet;
    providerSheet?: PriceSheet | null;
    unitsPerCurrency?: string | null;
    unitValue?: UnitValue | null;
    models: readonly Model[];
    aliases?: ReadonlyMap<string, string>;
  }) {
    this.providers = parts.providers;
    this.priceSheet = parts.priceSheet;
    this.providerSheet = parts.providerSheet ?? null;
    this.unitsPerCurrency = parts.unitsPerCurrency ?? null;
    this.unitValue = parts.unitValue ?? null;
    this.models = new Map(parts.models.map((model) => [model.code, model]));
    this.aliases = parts.aliases ?? new Map();
  }

  /** The model of a call. Throws if the caller may not use it, or not on this endpoint. */
  find(code: string, call: { user: ModelUser; endpoint: ModelEndpoint }): Model {
    const { user, endpoint } = call;
    const model = this.get(code, user);
    if (model.endpoints.has(endpoint)) return model;
    throw new Problem(endpoint === 'responses' ? 'responses_not_supported' : 'model_not_found', {
      detail: `The model ${code} does not support ${pathsOf(endpoint).join(' or ')}.`,
      param: 'model',
    });
  }

  /** Throws `model_not_found`, with the closest model code, if the caller may not use the model. */
  get(code: string, user: ModelUser): Model {
    const model = this.models.get(code);
    if (model !== undefined && seenBy(model, user.spaceName)) {
      if (user.models === null || user.models.has(code)) return model;
      throw notAllowed(code, user.models);
    }
    const target = this.#aliased(code, user);
    if (target !== null) {
      if (user.models === null || user.models.has(target.code)) return target;
      throw notAllowed(target.code, user.models);
    }
    const guess = nearest(code, [
      ...this.list(user).map((known) => known.code),
      ...this.listAliases(user).map(({ name }) => name),
    ]);
    const hint = guess === null ? ' GET /v1/models lists those you can use.' : ` Did you mean ${guess}?`;
    const shown = JSON.stringify(code.slice(0, 100));
    throw new Problem('model_not_found', {
      detail: `There is no model ${shown} in this space.${hint}`,
      param: 'model',
    });
  }

  /**
   * Null when the model does not exist or the caller may not see it. An operator has no space and sees all.
   */
  seen(code: string, user: ModelUser | null): Model | null {
    const own = this.models.get(code);
    if (user === null) return own ?? this.models.get(this.aliases.get(code) ?? '') ?? null;
    const model = own !== undefined && seenBy(own, user.spaceName) ? own : this.#aliased(code, user);
    return model !== null && (user.models?.has(model.code) ?? true) ? model : null;
  }

  /** The aliases that the caller may use, by name. A model that the space sees hides an alias of the same name. */
  listAliases(user: ModelUser): readonly ListedAlias[] {
    if (this.aliases.size === 0 && user.aliases === undefined) return [];
    const names = new Set([...this.aliases.keys(), ...(user.aliases?.keys() ?? [])]);
    return [...names].toSorted().flatMap((name) => {
      const own = this.models.get(name);
      if (own !== undefined && seenBy(own, user.spaceName)) return [];
      const model = this.#aliased(name, user);
      return model === null || user.models?.has(model.code) === false ? [] : [{ name, model }];
    });
  }

  /** Null if there is no such alias, or the space does not see its model. */
  #aliased(name: string, { aliases, spaceName }: ModelUser): Model | null {
    const model = this.models.get(aliases?.get(name) ?? this.aliases.get(name) ?? '');
    return model !== undefined && seenBy(model, spaceName) ? model : null;
  }

  list({ spaceName, models }: ModelUser): readonly Model[] {
    const all = this.#seenIn(spaceName);
    return models === null ? all : all.filter(({ code }) => models.has(code));
  }

  /** The body of `GET /v1/models`, rendered once per space, and again when prices change. */
  listJson(user: ModelUser, now: Instant): string {
    if (user.models !== null || user.aliases !== undefined || this.#hasOwnPrices(user))
      return this.#render(user, now);
    let list = this.#lists.get(user.spaceName);
    if (list === undefined || list.until <= now || now < list.since) {
      const models = this.list(user);
      list = { json: this.#render(user, now), since: now, until: nextPrice(models, now) };
      this.#lists.set(user.spaceName, list);
    }
    return list.json;
  }

  #render(user: ModelUser, now: Instant): string {
    const models = this.list(user).map((model) => modelObject(model, user, now));
    const aliases = this.listAliases(user).map((alias) => aliasObject(alias, user, now));
    return JSON.stringify({ object: 'list', data: [...models, ...aliases] });
  }

  /** Whether the key has a markup of its own. */
  #hasOwnPrices({ keyId }: ModelUser): boolean {
    return [...this.models.values()].some(({ markups }) => markups?.some(({ key }) => key === keyId && key));
  }

  #seenIn(spaceName: string): readonly Model[] {
    let models = this.#seen.get(spaceName);
    if (models === undefined) {
      models = [...this.models.values()].filter((model) => seenBy(model, spaceName));
      this.#seen.set(spaceName, models);
    }
    return models;
  }
}

/** Another name for a model. */
export interface ListedAlias {
  readonly name: string;
  readonly model: Model;
}

interface RenderedList {
  readonly json: string;
  readonly since: Instant;
  readonly until: Instant;
}

/** When the first of these models gets other prices. */
function nextPrice(models: readonly Model[], now: Instant): Instant {
  const dates = models.flatMap(({ prices }) => prices.flatMap(({ from }) => from ?? []));
  return Math.min(Number.POSITIVE_INFINITY, ...dates.filter((from) => from > now));
}

function notAllowed(code: string, allowed: ReadonlySet<string>): Problem {
  const others = [...allowed].slice(0, SHOWN_MODELS_MAX).join(', ');
  return new Problem('model_not_found', {
    detail: `This key may not use the model ${code}. It may use: ${others}.`,
    param: 'model',
  });
}

const SHOWN_MODELS_MAX = 20;

/** With the prices for this caller. */
export function modelObject(model: Model, caller: PricedCaller, now: Instant): ModelObject {
  return {
    id: model.code,
    object: 'model',
    created: model.createdSeconds,
    owned_by: 'tollgate',
    supports_batch: model.supportsBatch,
    batch_requires: model.batchRequires,
    output_cap_field: model.outputCapField,
    max_input_tokens: null,
    context_length: model.contextTokens,
    max_output_tokens: model.outputTokensMax,
    pricing: shownPricing(model, caller, now),
    endpoints: [...model.endpoints].flatMap(pathsOf),
    capabilities: [...model.capabilities],
  };
}

/** As the model, under the name of the alias. */
export function aliasObject({ name, model }: ListedAlias, caller: PricedCaller, now: Instant): ModelObject {
  return { ...modelObject(model, caller, now), id: name, alias_of: model.code };
}

function seenBy(model: Model, spaceName: string): boolean {
  return model.spaces === null || model.spaces.has(spaceName);
}
