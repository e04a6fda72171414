/** A caller left before the usage of its call was known: the call is held at its upper bound until it is counted. */
import { ZERO } from '../kernel/units.ts';
import type { LeftCall } from '../metering/left-calls.ts';
import { type CountableTexts, estimatedUsage, usageAtMost } from './counted-usage.ts';
import { type CallEnd, type CallFacts, endedRecord, type SettleTools } from './settle-call.ts';

/** If the model has finished, the usage of the provider is awaited for so long after the caller has left. */
export const LATE_USAGE_MS = 2_000;

export function leaveCall(
  facts: CallFacts,
  end: Omit<CallEnd, 'usage' | 'usageSource'>,
  texts: CountableTexts,
  { leftCalls, clock }: Pick<SettleTools, 'leftCalls' | 'clock'>,
): LeftCall {
  const record = (usage: CallEnd['usage']) =>
    endedRecord(facts, { ...end, usage, usageSource: 'estimated' }, clock);
  const { charge, provisional } = record(usageAtMost(texts));
  const atMost = charge?.total ?? provisional ?? ZERO;
  facts.hold.grow(atMost);
  return leftCalls.open(record(estimatedUsage(texts)), atMost);
}
