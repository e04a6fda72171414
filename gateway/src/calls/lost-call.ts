/** The record of a background call whose process died: what it had produced, as far as it is stored, is counted and priced. */
import type { Principal } from '../access/principal.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { chargedPrice } from '../catalog/charged-price.ts';
import { SseFramer } from '../kernel/framing.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import { readAttribution } from '../metering/attribution/attribution.ts';
import { readWaiting, waitingText } from '../metering/budgets/match-budgets.ts';
import { type CallRecord, callRow } from '../metering/call-record.ts';
import { priceOrProvisional } from '../pricing/unpriced.ts';
import type { Usage } from '../pricing/usage.ts';
import type { LostAnswer, RecordLost } from '../responses/end-background.ts';
import { eventsIn } from '../stored-answers/event-numbers.ts';
import { responsesFormat } from '../text/formats/responses/responses.ts';
import type { AnswerStream } from '../text/text-format.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { AdmittedCall } from './call-reply.ts';
import { countedUsage, TOKENS_PER_IMAGE } from './counted-usage.ts';

/** What is stored of a background call when it starts. */
interface StoredFacts extends Pick<Principal, 'keyId' | 'memberId' | 'spaceName'> {
  readonly model: string;
  readonly requestedModel?: string;
  readonly startedAt: Instant;
  readonly promptTokens: number;
  /** The text of its attribution. */
  readonly attribution?: string;
  /** The budgets that it counts in. */
  readonly budgets?: string;
}

/** As JSON. The prompt is counted now, because it is not known later. */
export async function callFacts(
  { facts, promptTexts, images }: AdmittedCall,
  tokens: TokenCounter,
): Promise<string> {
  const { principal, model, requested, startedAt, attribution } = facts;
  const budgets = waitingText(facts.budgets?.of(model.code) ?? []);
  const { keyId, memberId, spaceName } = principal;
  const counted = await tokens.countOrEstimate(promptTexts(), { lane: principal.spaceId });
  const promptTokens = counted + images * TOKENS_PER_IMAGE;
  const stored: StoredFacts = {
    keyId,
    memberId,
    spaceName,
    model: model.code,
    startedAt,
    promptTokens,
    ...(requested !== model.code && { requestedModel: requested }),
    ...(attribution !== null && { attribution: attribution.text }),
    ...(budgets !== null && { budgets }),
  };
  return JSON.stringify(stored);
}

export interface LostCallTools {
  readonly catalog: () => Pick<Catalog, 'models'>;
  readonly tokens: TokenCounter;
  readonly clock: Clock;
}

export function lostCallRecorder(tools: LostCallTools): RecordLost {
  return async (lost) => {
    const { answer, model } = replay(lost);
    const output = answer.output?.() ?? [];
    if (lost.facts === null) return { charge: null, output };
    const facts = answeredBy(JSON.parse(lost.facts) as StoredFacts, model);
    const record = recordOf(
      lost,
      facts,
      await usageOf(answer, { ...facts, spaceId: lost.spaceId }, tools),
      tools,
    );
    return { charge: callRow(record), output };
  };
}

/** `model`: the one that answered, which may be a fallback; null if nothing tells. */
function answeredBy(facts: StoredFacts, model: string | null): StoredFacts {
  if (model === null || model === facts.model) return facts;
  return { ...facts, model, requestedModel: facts.requestedModel ?? facts.model };
}

/** Reads the stored events as the events of a provider are read. */
function replay({ callId, parts }: LostAnswer): { answer: AnswerStream; model: string | null } {
  const request = { model: 'unknown', input: '' };
  const answer = responsesFormat.relayStream({
    request,
    callId,
    model: 'unknown',
    createdSeconds: 0,
    answers: 1,
  });
  let model: string | null = null;
  const framer = new SseFramer({
    charactersMax: Number.POSITIVE_INFINITY,
    onFrame(data, event) {
      if (event === 'response.created') model ??= modelIn(data);
      answer.frame(data, event);
    },
  });
  for (const { text } of eventsIn(parts, 0)) framer.push(text);
  return { answer, model };
}

/** Of the event that has the response object, which the relay has read too. */
function modelIn(data: string): string | null {
  const { response } = JSON.parse(Buffer.from(data, 'latin1').toString('utf8')) as {
    response?: { model?: unknown };
  };
  return typeof response?.model === 'string' ? response.model : null;
}

/** Null if nothing was produced. */
async function usageOf(
  answer: AnswerStream,
  of: { promptTokens: number; spaceId: string },
  { tokens }: LostCallTools,
): Promise<Usage | null> {
  const produced = answer.produced();
  if (produced.texts.length === 0 && produced.restCharacters === 0) return null;
  const { promptTokens, spaceId } = of;
  const texts = {
    prompt: () => [],
    promptTokens,
    images: 0,
    produced: () => produced,
    seen: answer.seenDetails,
  };
  return await countedUsage(texts, spaceId, tokens);
}

function recordOf(
  { spaceId, callId, problem }: LostAnswer,
  facts: StoredFacts,
  usage: Usage | null,
  { catalog, clock }: LostCallTools,
): CallRecord {
  const { keyId, memberId, startedAt, requestedModel, attribution, budgets } = facts;
  const model = catalog().models.get(facts.model);
  const price = model === undefined ? null : chargedPrice(model, facts, startedAt);
  const priced = usage === null ? null : priceOrProvisional(usage, price);
  const charge = priced?.charge ?? null;
  const now = clock.now();
  return {
    id: callId,
    spaceId,
    keyId,
    memberId,
    endpoint: responsesFormat.name,
    model: facts.model,
    provider: null,
    upstreamModel: null,
    streamed: true,
    finishReason: null,
    firstByteMs: null,
    ...(requestedModel !== undefined && { requestedModel }),
    outcome: usage === null ? 'failed' : 'partial',
    problem: problem.code,
    usage,
    usageSource: usage === null ? 'none' : 'estimated',
    charge,
    priceVersion: charge === null ? null : (model?.priceVersion ?? null),
    ...(priced !== null && charge === null && { missing: priced.missing, provisional: priced.provisional }),
    attempts: 1,
    tried: [],
    startedAt,
    durationMs: now - startedAt,
    chargedAt: now,
    ...(attribution !== undefined && { attribution: readAttribution(attribution) }),
    ...(budgets !== undefined && { budgets: readWaiting(budgets) }),
  };
}
