/** A recorded call, line of a batch or video as a receipt. Pure. */
import type { ExplainedCall } from '../contract/explanation.ts';
import type { ReceiptAttempt, ReceiptObject } from '../contract/receipt.ts';
import { kstMsOf } from '../kernel/time.ts';
import { neutralFinish } from '../providers/neutral-finish.ts';
import type { CallFound, CorrectionFound } from './explain.store.ts';

/** For people who may see the route: the provider's own words. */
export function explainedCall(call: CallFound, corrections: readonly CorrectionFound[]): ExplainedCall {
  return {
    ...receiptOf(call, corrections),
    route: call.provider === null ? null : `${call.provider}/${call.upstreamModel}`,
    journal_entry: call.entry,
  };
}

/** For the caller: nothing in it names a provider. A call that failed produced nothing and is free. */
export function receiptObject(call: CallFound, corrections: readonly CorrectionFound[]): ReceiptObject {
  const receipt = receiptOf(call, corrections);
  const cost = call.outcome === 'failed' ? (call.cost ?? '0') : call.cost;
  return {
    id: call.id,
    object: 'receipt',
    ...receipt,
    usage: withoutUnknown(receipt.usage),
    attempt_log: withoutPlaces(receipt.attempt_log),
    finish_reason: neutralFinish(call.finishReason),
    cost,
    current_cost: corrections.at(-1)?.costAfter ?? cost,
  };
}

/** Names of unknown counts, and counts that cannot be true, are the provider's own, which only operators see. */
export function withoutUnknown(usage: ExplainedCall['usage']): ExplainedCall['usage'] {
  if (usage.details === null) return usage;
  const { unknown, implausible, missing, ...details } = usage.details;
  if (unknown === undefined && implausible === undefined) return usage;
  const named = missing?.map((name) => (name.startsWith('usage:') ? 'usage' : name));
  const shown = { ...details, ...(named !== undefined && { missing: [...new Set(named)] }) };
  return { ...usage, details: Object.keys(shown).length === 0 ? null : shown };
}

function receiptOf(call: CallFound, corrections: readonly CorrectionFound[]) {
  return {
    endpoint: call.endpoint,
    model: call.model,
    requested_model: call.requestedModel,
    batch_id: call.batchId,
    attribution: call.attribution,
    streamed: call.streamed,
    outcome: call.outcome,
    problem: call.problem,
    finish_reason: call.finishReason,
    attempts: call.attempts,
    attempt_log: call.tried?.map(shownAttempt) ?? null,
    started_at: kstMsOf(call.startedAt),
    first_byte_ms: call.firstByteMs,
    duration_ms: call.durationMs,
    usage_source: call.usageSource,
    usage: {
      input_tokens: call.inputTokens,
      cached_input_tokens: call.cachedInputTokens,
      cache_write_tokens: call.cacheWriteTokens,
      output_tokens: call.outputTokens,
      reasoning_tokens: call.reasoningTokens,
      images: call.images,
      details: call.details,
    },
    price_version: call.priceVersion,
    lines: [...(call.lines ?? [])],
    cost: call.cost,
    provisional: call.provisional,
    charged_at: kstMsOf(call.chargedAt),
    month: call.month,
    corrections: corrections.map(({ costBefore, costAfter, note, at }) => ({
      at: kstMsOf(at),
      cost_before: costBefore,
      cost: costAfter,
      note,
    })),
  };
}

function shownAttempt(
  {
    status,
    outcome,
    ms,
    route,
    key,
    model,
    inputTokens,
    outputTokens,
  }: NonNullable<CallFound['tried']>[number],
  index: number,
): ReceiptAttempt {
  return {
    index: index + 1,
    status,
    outcome,
    duration_ms: ms,
    ...(model !== undefined && { model }),
    ...(inputTokens !== undefined && { input_tokens: inputTokens }),
    ...(outputTokens !== undefined && { output_tokens: outputTokens }),
    ...(route !== undefined && { route }),
    ...(key !== undefined && { key }),
  };
}

/** Routes and keys are shown to operators only. */
export function withoutPlaces(attempts: ExplainedCall['attempt_log']): ExplainedCall['attempt_log'] {
  return attempts?.map(({ route: _, key: __, ...attempt }) => attempt) ?? null;
}
