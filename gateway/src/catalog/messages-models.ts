/** Writes models in the shape that clients of the messages format read. Pure. */
import type { MessagesModel, MessagesModelList, ModelPageRequest } from '../contract/messages-models.ts';
import { Problem } from '../kernel/problem.ts';
import { type Instant, isoOf } from '../kernel/time.ts';
import type { PricedCaller } from '../pricing/markup.ts';
import type { Model } from './model.ts';
import { shownPricing } from './shown-pricing.ts';

/** A model, or an alias under its own name. */
export type NamedModel = Model & { readonly aliasOf?: string };

/** Only the models that the messages format can call, in the order of the catalogue. */
export function messagesModelPage(
  models: readonly NamedModel[],
  page: ModelPageRequest,
  write: (model: NamedModel) => MessagesModel,
): MessagesModelList {
  const all = models.filter(({ endpoints }) => endpoints.has('messages'));
  const { from, to, hasMore } = pageBounds(all, page);
  const data = all.slice(from, to).map(write);
  return { data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

/** `has_more` looks in the direction of the page: before `before_id`, else after it. */
function pageBounds(
  all: readonly Model[],
  { limit, afterId, beforeId }: ModelPageRequest,
): { from: number; to: number; hasMore: boolean } {
  if (beforeId !== null) {
    const to = positionOf(all, beforeId, 'before_id');
    const from = Math.max(0, to - limit);
    return { from, to, hasMore: from > 0 };
  }
  const from = afterId === null ? 0 : positionOf(all, afterId, 'after_id') + 1;
  return { from, to: from + limit, hasMore: from + limit < all.length };
}

function positionOf(all: readonly Model[], id: string, param: 'after_id' | 'before_id'): number {
  const at = all.findIndex(({ code }) => code === id);
  if (at >= 0) return at;
  const shown = JSON.stringify(id.slice(0, 100));
  throw new Problem('invalid_parameter', {
    detail: `${param} must be the id of a model of this list; ${shown} is not. Start again without ${param}.`,
    param,
  });
}

/** With the prices for this caller. */
export function messagesModel(model: NamedModel, caller: PricedCaller, now: Instant): MessagesModel {
  return {
    type: 'model',
    id: model.code,
    display_name: model.aliasOf === undefined ? model.code : `${model.code} (${model.aliasOf})`,
    description: priceText(model, caller, now),
    created_at: isoOf(model.createdSeconds * 1_000),
    max_input_tokens: model.contextTokens,
    max_tokens: model.outputTokensMax,
    capabilities: null,
  };
}

/** Agents show it beside the name of the model. */
function priceText(model: Model, caller: PricedCaller, now: Instant): string | null {
  const pricing = shownPricing(model, caller, now);
  if (pricing?.input === undefined || pricing.output === undefined) return null;
  return `${pricing.input} units for input, ${pricing.output} for output, per 1,000,000 tokens`;
}
