/** The lines of the demo's batches: requests as in a file, and answers as a provider gives them. */
import type { DoneLine } from '../batches/batch-lines.store.ts';
import type { LineRecord } from '../batches/line-receipt.ts';
import { failedLine, goodLine } from '../batches/result-line.ts';
import type { Model } from '../catalog/model.ts';
import { estimatedCost } from '../contract/cost.ts';
import { Problem } from '../kernel/problem.ts';
import { type Instant, unixSecondsOf } from '../kernel/time.ts';
import { batchPrice, type ModelPrice } from '../pricing/model-price.ts';
import { priceUsage } from '../pricing/price.ts';
import { NO_TOKENS, type Usage } from '../pricing/usage.ts';
import type { DemoRandom } from './demo-random.ts';

export interface BatchContent {
  readonly model: string;
  readonly url: '/v1/chat/completions' | '/v1/embeddings';
  readonly lines: number;
  /** What each line asks; the number of the line is added. */
  readonly asks: string;
  readonly answers: string;
}

export function inputFile(content: BatchContent): Buffer {
  const { model, url, lines, asks } = content;
  const texts = Array.from({ length: lines }, (_, i) => {
    const prompt = `${asks} ${i + 1}`;
    const body =
      url === '/v1/embeddings'
        ? { model, input: prompt }
        : { model, service_tier: 'default', messages: [{ role: 'user', content: prompt }] };
    return JSON.stringify({ custom_id: customId(i + 1), method: 'POST', url, body });
  });
  return Buffer.from(`${texts.join('\n')}\n`);
}

/** The results of the lines `from` to `to`. `usage: false`: the provider reported none, so the cost is unknown. */
export function resultLines(
  content: BatchContent,
  range: { from: number; to: number; failed?: readonly number[]; withoutUsage?: readonly number[] },
  { model, price, at, random }: { model: Model; price: ModelPrice | null; at: Instant; random: DemoRandom },
): DoneLine[] {
  return Array.from({ length: range.to - range.from + 1 }, (_, i) => {
    const line = range.from + i;
    const named = { line, customId: customId(line), requestId: random.requestId(at + i) };
    const record = emptyRecord(model, at);
    if (range.failed?.includes(line) === true) {
      const problem = new Problem('upstream_error');
      return failedLine(named, problem, { ...record, outcome: 'failed', problem: problem.code });
    }
    const usage = usageOfLine(content, random);
    const charge = priceUsage(usage, batchPrice(price));
    if (range.withoutUsage?.includes(line) === true)
      return goodLine(named, bodyOf(content, { id: named.requestId, at, usage: null, cost: null }), record);
    const body = bodyOf(content, { id: named.requestId, at, usage, cost: charge?.total ?? null });
    const { priceVersion } = model;
    const durationMs = LINE_MS + usage.outputTokens * TOKEN_MS;
    return goodLine(named, body, {
      ...record,
      charge,
      usage,
      priceVersion,
      durationMs,
      usageSource: 'provider',
    });
  });
}

const LINE_MS = 400;
const TOKEN_MS = 8;

function emptyRecord({ routes: [route] }: Model, at: Instant): LineRecord {
  return {
    provider: route?.provider ?? null,
    upstreamModel: route?.upstreamModel ?? null,
    outcome: 'completed',
    problem: null,
    finishReason: 'stop',
    usage: null,
    usageSource: 'none',
    priceVersion: null,
    charge: null,
    attempts: 1,
    tried: [],
    startedAt: at,
    durationMs: LINE_MS,
  };
}

function customId(line: number): string {
  return `item-${String(line).padStart(4, '0')}`;
}

function usageOfLine({ url }: BatchContent, random: DemoRandom): Usage {
  if (url === '/v1/embeddings') return { ...NO_TOKENS, inputTokens: random.between(200, 6_000) };
  return { ...NO_TOKENS, inputTokens: random.between(800, 9_000), outputTokens: random.between(120, 900) };
}

type Answer = {
  readonly id: string;
  readonly at: Instant;
  readonly usage: Usage | null;
  readonly cost: Parameters<typeof estimatedCost>[0];
};

function bodyOf({ model, url, answers }: BatchContent, { id, at, usage, cost }: Answer): string {
  const tokens = usage && {
    prompt_tokens: usage.inputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
  const shared = { model, estimated_cost: estimatedCost(cost) };
  if (url === '/v1/embeddings') {
    const data = [{ object: 'embedding', index: 0, embedding: [0.0125, -0.0375, 0.05] }];
    return JSON.stringify({ object: 'list', data, ...shared, usage: tokens });
  }
  return JSON.stringify({
    id: id.replace(/^req_/, 'chatcmpl-'),
    object: 'chat.completion',
    created: unixSecondsOf(at),
    ...shared,
    choices: [{ index: 0, message: { role: 'assistant', content: answers }, finish_reason: 'stop' }],
    usage: tokens && { ...tokens, completion_tokens: usage?.outputTokens ?? 0 },
  });
}
