/** The call that the benchmarks of commits record. */
import { newId } from '../src/kernel/ids.ts';
import { systemClock } from '../src/kernel/time.ts';
import { parseUnits } from '../src/kernel/units.ts';
import type { CallRecord } from '../src/metering/call-record.ts';

export interface Caller {
  readonly spaceId: string;
  readonly keyId: string;
}

export function callOf({ spaceId, keyId }: Caller): CallRecord {
  const now = systemClock.now();
  const price = parseUnits('0.25');
  const amount = parseUnits('0.0001375');
  return {
    id: newId('req', now),
    spaceId,
    keyId,
    memberId: null,
    endpoint: 'chat',
    model: 'bench-chat',
    provider: 'upstream',
    upstreamModel: 'model',
    streamed: false,
    outcome: 'completed',
    problem: null,
    finishReason: 'stop',
    usage: {
      inputTokens: 550,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
      reasoningTokens: 0,
    },
    usageSource: 'provider',
    priceVersion: 'bench-1',
    charge: { total: amount, lines: [{ component: 'input', count: 550, price, amount }] },
    attempts: 1,
    tried: [],
    startedAt: now,
    firstByteMs: 200,
    durationMs: 900,
    chargedAt: now,
  };
}
