/**
 * Counts the tokens of a prompt: with the provider's API if it has one, else locally. Free of charge and not recorded,
 * because nothing is produced.
 */
import type { Principal } from '../access/principal.ts';
import type { Model } from '../catalog/model.ts';
import { unknownTraits } from '../catalog/model-traits.ts';
import type { CountTokensRequest } from '../contract/messages.ts';
import type { JsonObject } from '../json/parse-json.ts';
import { expandText, putInline } from '../json/placeholders.ts';
import { parseObject } from '../json/read-json.ts';
import type { Cancellation } from '../kernel/cancellation.ts';
import { Problem } from '../kernel/problem.ts';
import type { ByteLease } from '../memory/byte-budget.ts';
import { BodyCollector } from '../net/collect-body.ts';
import { UpstreamFailure } from '../net/upstream-call.ts';
import type { Provider, TextProvider } from '../providers/provider.ts';
import { readMessagesAddresses, readMessagesMediaTypes } from '../text/formats/messages/read-addresses.ts';
import { countImages, readMessagesPromptTexts } from '../text/formats/messages/read-features.ts';
import { relayMessagesRequest } from '../text/formats/messages/relay-request.ts';
import { withUsualTypes } from '../text/usual-types.ts';
import { COUNT_MS_MAX } from '../tokens/token-counter.ts';
import type { CallTools } from './call-tools.ts';
import { AllRoutesFailed, callUpstream } from './call-upstream.ts';
import { TOKENS_PER_IMAGE } from './counted-usage.ts';
import { failureProblem } from './failed-attempt.ts';
import { relayEdits } from './fit-relay.ts';
import { findCallReferences } from './references/find-references.ts';
import { placeInBody } from './references/place-references.ts';
import { prepareWithReferences } from './references/prepare-with-references.ts';

export interface CountTokens {
  readonly lease: ByteLease;
  readonly principal: Principal;
  readonly body: JsonObject;
  readonly request: CountTokensRequest;
  readonly beta: string | null;
  /** Cancelled when the caller disconnects. */
  readonly cancellation: Cancellation;
}

export async function countTokens(call: CountTokens, tools: CallTools): Promise<number> {
  const { principal, request } = call;
  const model = tools.catalog().find(request.model, { user: principal, endpoint: 'messages' });
  const asks = model.routes.some((route) => counterOf(tools.providers.get(route.provider)) !== null);
  return asks ? await askProvider(call, model, tools) : await countHere(call, tools);
}

async function countHere(call: CountTokens, tools: CallTools): Promise<number> {
  const { request, body, principal, cancellation } = call;
  const { inline } = body;
  const texts = readMessagesPromptTexts(request);
  const whole = inline === undefined ? texts : texts.map((text) => expandText(text, inline));
  const tokens = await tools.tokens.count(whole, { lane: principal.spaceId, cancellation });
  if (tokens === null) {
    throw new Problem('service_unavailable', {
      detail:
        `The prompt could not be counted within ${COUNT_MS_MAX / 1_000} seconds, because it is long or other prompts of ` +
        'the space are being counted. Send the request again later.',
      retryAfterMs: COUNT_MS_MAX,
    });
  }
  return tokens + countImages(request) * TOKENS_PER_IMAGE;
}

/** The provider's dialect, with `send` replaced by its token counter. */
function counterOf(provider: Provider): TextProvider | null {
  for (const text of provider.texts) {
    if (text.format === 'messages' && text.countTokens !== undefined)
      return { ...text, send: text.countTokens };
  }
  return null;
}

async function askProvider(call: CountTokens, model: Model, tools: CallTools): Promise<number> {
  try {
    return readCount(await askedBody(call, model, tools));
  } catch (error) {
    throw error instanceof AllRoutesFailed ? error.problem : error;
  }
}

function readCount(body: Buffer): number {
  const tokens = parseObject(body.toString('utf8'))?.input_tokens;
  if (Number.isSafeInteger(tokens)) return tokens as number;
  throw new Problem('upstream_error', {
    detail: 'The provider sent an invalid answer. Send the request again later.',
  });
}

async function askedBody(call: CountTokens, model: Model, tools: CallTools): Promise<Buffer> {
  const { beta, request, principal, lease, cancellation } = call;
  const body = withUsualTypes(call.body, readMessagesMediaTypes(request));
  const addresses = readMessagesAddresses(request);
  const references =
    addresses.length === 0
      ? null
      : await findCallReferences(addresses, principal.spaceId, tools.media, body.inline);
  return await new Promise((resolve, reject) => {
    callUpstream(
      {
        model,
        caller: principal.spaceId,
        cancellation,
        untilMs: tools.clock.elapsedMs() + tools.limits.callTotalMs,
        operation: 'count_tokens',
        trace: null,
        prepare: ({ upstreamModel, takes = unknownTraits }, provider) => {
          const text = counterOf(provider);
          // Another route of the model can: otherwise this code is not reached.
          if (text === null) return new Problem('upstream_unavailable');
          const sent = { upstreamModel, stream: false, beta };
          const target = {
            upstreamModel,
            ...(takes.known && { edits: relayEdits('messages', request, takes) }),
          };
          if (references?.concern(text)) {
            return prepareWithReferences(
              references,
              { provider, text, sent, lease, cancellation },
              (placed) => putInline(relayMessagesRequest(placeInBody(body, placed), target), placed.inline),
            );
          }
          const relayed = putInline(relayMessagesRequest(body, target), body.inline);
          return { api: text, send: (handler) => text.send({ ...sent, body: relayed }, handler) };
        },
        open: (opened) =>
          new BodyCollector({
            bytesMax: tools.limits.upstreamBodyBytesMax,
            onTooLong: () => opened.call.abort(),
            done: (read) =>
              read instanceof UpstreamFailure ? reject(failureProblem(read)) : resolve(read.whole()),
          }),
      },
      tools,
    ).catch(reject);
  });
}
