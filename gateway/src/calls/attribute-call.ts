/** What a call is attributed to and which budgets it has, by its request and the tags from outside of it. Known before the call is admitted. */
import type { Principal } from '../access/principal.ts';
import { NO_TAGS, type Tags, tagsInMetadata } from '../contract/tags.ts';
import type { Inline } from '../json/placeholders.ts';
import { isObject } from '../json/read-json.ts';
import type { Attribution, AttributionValues } from '../metering/attribution/attribution.ts';
import { attributedValues } from '../metering/attribution/attributions.ts';
import { type CallBudgets, matchBudgets } from '../metering/budgets/match-budgets.ts';
import { type CallerHeaders, endUserInUserId, namedSession } from '../text/conversation-start.ts';
import type { TextFormatName } from '../text/text-format.ts';
import type { CallTools } from './call-tools.ts';

/** Tags from outside of the request. */
export interface CallTags {
  /** Of the header, which go before all others. */
  readonly header: Tags | null;
  /** Of the batch, which go after those of the line. */
  readonly defaults?: Tags | null;
}

/** Whose call it is. */
export interface AttributedCaller {
  readonly principal: Principal;
  /** Absent if nothing but the request itself and the rules of its key attribute it. */
  readonly tags?: CallTags | null;
}

/** What is read of a request. */
export interface AttributedRequest {
  readonly request: object;
  /** Absent: a request without tags, which is no text. */
  readonly format?: { readonly name: TextFormatName };
  readonly headers?: CallerHeaders | undefined;
  readonly inline?: Inline | undefined;
}

export interface Attributed {
  /** Null: it is attributed to nothing. */
  readonly attribution: Attribution | null;
  /** Null: it has none. */
  readonly budgets: CallBudgets | null;
}

export function textSources(call: {
  request: object;
  format: { readonly name: TextFormatName };
  headers?: CallerHeaders;
  body: { inline?: Inline };
}): AttributedRequest {
  const { request, format, headers, body } = call;
  return { request, format, headers, inline: body.inline };
}

export function attributeCall(
  asked: AttributedCaller,
  of: AttributedRequest,
  /** The code of the model, and of those that may answer instead. */
  models: readonly string[],
  { attributions }: Pick<CallTools, 'attributions'>,
): Attributed {
  const { principal } = asked;
  const values = valuesOfCall(asked, of);
  return {
    attribution: values === null ? null : attributions.bounded(principal.spaceId, values),
    budgets: principal.budgets === undefined ? null : matchBudgets({ principal, models, values }),
  };
}

/** Before they are bounded; null: it is attributed to nothing. */
export function valuesOfCall(
  { principal, tags }: AttributedCaller,
  of: AttributedRequest,
): AttributionValues | null {
  const { request, format, headers, inline } = of;
  const session = format === undefined ? null : namedSession(request, headers ?? null);
  return attributedValues(principal, {
    tags: tags?.header ?? null,
    defaults: tags?.defaults ?? null,
    metadata: metadataOf(of),
    endUser: kept(endUserOf(request as Fields, format?.name), inline),
    session: kept(session, inline),
  });
}

/** Whether what a call costs at most has to be known. */
export function isBounded(principal: Pick<Principal, 'hardLimits'>, { budgets }: Attributed): boolean {
  return principal.hardLimits || budgets?.hard === true;
}

interface Fields {
  readonly user?: unknown;
  readonly safety_identifier?: unknown;
  readonly metadata?: unknown;
}

/** In messages, `metadata` has the end user and no pairs of the caller. */
function metadataOf({ request, format, inline }: AttributedRequest): Tags {
  const { metadata } = request as Fields;
  if (!isObject(metadata) || format === undefined || format.name === 'messages') return NO_TAGS;
  const tags = tagsInMetadata(metadata);
  return inline === undefined ? tags : tags.filter(([, value]) => !value.includes(inline.mark));
}

function endUserOf(request: Fields, format: TextFormatName | undefined): string | null {
  const { safety_identifier: newer, user, metadata } = request;
  if (format === 'messages') {
    const id = isObject(metadata) ? metadata.user_id : null;
    return typeof id === 'string' ? endUserInUserId(id) : null;
  }
  const named = newer ?? user;
  return typeof named === 'string' && named !== '' ? named : null;
}

/** Undefined: there is none. Null: one that is held outside of the body is far too long to be kept. */
function kept(value: string | null, inline: Inline | undefined): string | null | undefined {
  if (value === null) return undefined;
  return inline?.mark !== undefined && value.includes(inline.mark) ? null : value;
}
