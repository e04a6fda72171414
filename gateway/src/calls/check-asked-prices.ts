/** Rejects a text call that asks for something without a price on every route that could serve it. */
import type { Principal } from '../access/principal.ts';
import { chargedPrice } from '../catalog/charged-price.ts';
import { textProblem } from '../catalog/check-priced.ts';
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import type { Problem } from '../kernel/problem.ts';
import { roughTokens } from '../kernel/rough-tokens.ts';
import type { Instant } from '../kernel/time.ts';
import { type AskedName, type AskedPart, pricesWritesByLifetime } from '../pricing/asked-parts.ts';
import { batchPrice } from '../pricing/model-price.ts';
import type { TextProvider } from '../providers/provider.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import type { TextFormat } from '../text/text-format.ts';
import { dialectFor, type PrepareText, prepareText, relays } from './prepare-text.ts';
import type { RunningText } from './text-request.ts';

export interface PricedText<Request> {
  readonly format: TextFormat<Request>;
  readonly request: Request;
  readonly principal: Principal;
  readonly model: Model;
  /** Of the body. */
  readonly bytes: number;
  /** When the call started. */
  readonly at: Instant;
  /** A line of a batch, which has its own prices. */
  readonly batch: boolean;
}

/** Throws if no route is left. */
export function checkAskedPrices<Request>(
  call: PricedText<Request>,
  providers: Pick<ProviderRegistry, 'get'>,
): void {
  const refuse = unpricedOn(call);
  if (refuse === null) return;
  let problem: Problem | null = null;
  for (const route of call.model.routes) {
    const refused = refuse(dialectOf(route, call.format, providers));
    if (refused === null) return;
    problem ??= refused;
  }
  if (problem !== null) throw problem;
}

/** Why a dialect must not get the call; null if every dialect may, which is the usual case. */
export function unpricedOn<Request>(
  call: PricedText<Request>,
): ((text: TextProvider) => Problem | null) | null {
  const { format, request, principal, model, bytes } = call;
  if (principal.unpricedAllowed) return null;
  const charged = chargedPrice(model, principal, call.at);
  const price = call.batch ? batchPrice(charged) : charged;
  if (price === null) return null;
  const asked = format.askedParts(request, { cacheWrites: pricesWritesByLifetime(price) });
  const contextTokens = roughTokens(bytes);
  if (textProblem(model, price, { asked, contextTokens }) === null) return null;
  return (text) => {
    const isSent = ({ part, relayedOnly }: AskedPart): boolean =>
      !relayedOnly || relays(text, { format }) || takesTier(text, part);
    return textProblem(model, price, { asked: asked.filter(isSent), contextTokens });
  };
}

/** A tier is passed on in translations too, by dialects that have one. */
function takesTier({ takesTier: takes }: TextProvider, part: AskedName): boolean {
  return part.startsWith('tier:') && (takes?.(part.slice('tier:'.length)) ?? false);
}

/** Leaves out the routes that would pass on something without a price. */
export function preparePriced<Request>(call: RunningText<Request>): PrepareText {
  const prepare = prepareText(call);
  const { facts, format, request, body } = call;
  const { model, principal, startedAt: at } = facts;
  // The only route was checked before the call began.
  if (model.routes.length === 1) return prepare;
  const of = { format, request, principal, model, at, batch: call.asWritten };
  const refuse = unpricedOn({ ...of, bytes: body.bytes.length });
  if (refuse === null) return prepare;
  return (route, provider) => refuse(dialectFor(provider, format.name)) ?? prepare(route, provider);
}

function dialectOf<Request>(
  { provider }: UpstreamRoute,
  format: TextFormat<Request>,
  providers: Pick<ProviderRegistry, 'get'>,
): TextProvider {
  return dialectFor(providers.get(provider), format.name);
}
