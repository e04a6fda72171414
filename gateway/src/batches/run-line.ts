/**
 * Runs one line of a batch as a single call, with the same checks, routes and translations. The answer becomes a line
 * of a file, and its cost is charged with the whole batch.
 */
import type { Principal } from '../access/principal.ts';
import type { CallTools } from '../calls/call-tools.ts';
import type { Model } from '../catalog/model.ts';
import type { BatchUrl } from '../contract/paid-endpoints.ts';
import type { JsonLimits } from '../json/json-limits.ts';
import { newId } from '../kernel/ids.ts';
import { asProblem, type Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import type { CallRecord } from '../metering/call-record.ts';
import { NO_HOLD } from '../metering/purses/hold.ts';
import { batchPrice, priceAt } from '../pricing/model-price.ts';
import type { DoneLine } from './batch-lines.store.ts';
import type { BatchTags } from './batches.store.ts';
import { lineKinds } from './line-kinds.ts';
import { LineReply } from './line-reply.ts';
import { readLine } from './read-line.ts';
import { failedLine, goodLine } from './result-line.ts';

export interface LineCall {
  /** The line number in the file, starting at 1. */
  readonly line: number;
  readonly bytes: Buffer;
  readonly endpoint: BatchUrl;
  readonly principal: Principal;
  /** The model of the batch. The line may name an alias of it. */
  readonly model: string;
  /** Of the batch. */
  readonly tags: BatchTags | null;
  /** When the batch was submitted: it decides which prices apply if they have dates. */
  readonly submittedAt: Instant;
}

export interface LineTools {
  readonly calls: CallTools;
  readonly json: JsonLimits;
}

/** `again`: the provider is at its limit or unreachable; the line has no result yet. */
export type LineEnd = { readonly done: DoneLine } | { readonly again: Problem };

/** Temporary problems: the line is retried. */
const PASSING = ['rate_limit_exceeded', 'upstream_unavailable', 'service_unavailable'];

/** The result of a line that may not run. */
export async function refuseLine(call: LineCall, problem: Problem, tools: LineTools): Promise<LineEnd> {
  const { customId } = await readLine(call.bytes, tools.json);
  const requestId = newId('req', tools.calls.clock.now());
  return { done: failedLine({ line: call.line, customId, requestId }, problem, null) };
}

export async function runLine(call: LineCall, signal: AbortSignal, tools: LineTools): Promise<LineEnd> {
  const { clock, bytes } = tools.calls;
  const lease = bytes.open(call.principal);
  const [startedAt, startedMs] = [clock.now(), clock.elapsedMs()];
  const { customId, body } = await readLine(call.bytes, tools.json);
  const named = { line: call.line, customId, requestId: newId('req', startedAt) };
  const reply = new LineReply(signal);
  const ledger = new LineLedger(call);
  const request = {
    id: named.requestId,
    lease,
    principal: call.principal,
    body,
    reply,
    startedAt,
    startedMs,
    tags: call.tags,
  };
  try {
    await lease.take(call.bytes.length);
    await lineKinds[call.endpoint].run(request, { ...tools.calls, ...ledger.tools(tools.calls) });
  } catch (error) {
    const problem = asProblem(error);
    if (signal.aborted || PASSING.includes(problem.code)) return { again: problem };
    return { done: failedLine(named, problem, ledger.record) };
  } finally {
    reply.close();
    lease.close();
  }
  return { done: goodLine(named, reply.text, ledger.record) };
}

type LedgerTool = 'catalog' | 'admission' | 'recorder' | 'leftCalls';

/** Prices a line with batch prices, and keeps the record instead of charging it. */
class LineLedger {
  record: CallRecord | null = null;
  readonly #of: Pick<LineCall, 'submittedAt' | 'model'>;

  constructor(of: Pick<LineCall, 'submittedAt' | 'model'>) {
    this.#of = of;
  }

  tools({ catalog }: CallTools): Pick<CallTools, LedgerTool> {
    return {
      catalog: () => ({
        find: (_, call) => priced(catalog().find(this.#of.model, call), this.#of.submittedAt),
        // No other model answers a line.
        seen: () => null,
      }),
      // What it may cost is reserved since the batch was submitted.
      admission: { admit: () => NO_HOLD },
      // A line has no caller who could leave.
      leftCalls: { open: () => ({ settled: () => undefined, abandon: () => undefined }) },
      recorder: {
        checkCanRecord: () => undefined,
        record: async (call) => {
          this.record = call;
        },
      },
    };
  }
}

const pricedModels = new WeakMap<Model, Model>();

/** The model with the price of the batch, whenever the line runs. */
function priced(model: Model, submittedAt: Instant): Model {
  const price = batchPrice(priceAt(model.prices, submittedAt));
  let found = pricedModels.get(model);
  if (found === undefined || (found.prices[0]?.price ?? null) !== price) {
    found = { ...model, prices: price === null ? [] : [{ from: null, price }] };
    pricedModels.set(model, found);
  }
  return found;
}
