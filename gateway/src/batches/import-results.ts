/**
 * Reads the results of a provider's batch into our own lines. Results arrive in any order, may be larger than memory,
 * and each needs its line of the input. So they are sorted in windows and matched while the input is read in order.
 */
import type { Readable } from 'node:stream';
import { attributeCall } from '../calls/attribute-call.ts';
import { providerProblem } from '../calls/provider-problem.ts';
import { reportedUsage } from '../calls/settle-call.ts';
import { chargedPrice } from '../catalog/charged-price.ts';
import { BatchLines } from '../contract/batch-lines/batch-lines.ts';
import type { Database } from '../database/database.ts';
import type { JsonLimits } from '../json/json-limits.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { type Clock, unixSecondsOf } from '../kernel/time.ts';
import { batchPrice } from '../pricing/model-price.ts';
import { missingPrices, priceUsage } from '../pricing/price.ts';
import { providerCost } from '../pricing/provider-cost.ts';
import type { ProviderBatch, ProviderResult } from '../providers/batch-provider.ts';
import type { EngineRun } from './batch-engine.ts';
import { type DoneLine, insertLines } from './batch-lines.store.ts';
import type { BatchRoute } from './batch-route.ts';
import { type InputLine, inputLines } from './input-lines.ts';
import type { LineKindTools } from './line-kinds.ts';
import type { LineRecord } from './line-receipt.ts';
import { lineBody } from './line-reply.ts';
import { readProviderLineId } from './prepare-input.ts';
import { readLine } from './read-line.ts';
import { failedLine, goodLine } from './result-line.ts';
import { TurnTimer } from './turn-timer.ts';

export interface ImportTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly json: JsonLimits;
  readonly calls: LineKindTools;
  /** The limit for one result. */
  readonly resultBytesMax: number;
}

/** Counts of the results that were read. */
export interface SeenResults {
  readonly ok: number;
  readonly failed: number;
  readonly unrun: number;
  /** Lines that are not a result, belong to no line that was sent, or repeat a result. */
  readonly unreadable: number;
}

/** The results in memory at once. */
const WINDOW_BYTES = 8 * 1024 * 1024;
const WINDOW_LINES = 10_000;
const GROUP_LINES_MAX = 200;

/** Throws when the results are cut off or the lease is lost. */
export async function importResults(
  run: EngineRun,
  { from, ended }: { from: BatchRoute; ended: ProviderBatch },
  { signal, tools }: { signal: AbortSignal; tools: ImportTools },
): Promise<SeenResults> {
  const importing = new Import(run, from, tools);
  try {
    const lines = new BatchLines<Buffer>({
      join: Buffer.concat,
      bytesMax: tools.resultBytesMax,
      // The bytes are valid only during this call.
      onLine: (bytes) => importing.take(Buffer.from(bytes)),
      onTooLong: () => importing.countUnreadable(),
    });
    for await (const piece of from.batches.results(ended, signal)) {
      lines.push(piece);
      if (importing.full) await importing.flush();
    }
    lines.end();
    await importing.flush();
    return importing.seen;
  } finally {
    importing.close();
  }
}

interface NumberedResult {
  readonly line: number;
  readonly end: ProviderResult['end'];
}

class Import {
  readonly #run: EngineRun;
  readonly #from: BatchRoute;
  readonly #tools: ImportTools;
  readonly #input: InputWalk;
  readonly #turn: TurnTimer;
  readonly #numbers = new Set<number>();
  #window: NumberedResult[] = [];
  #windowBytes = 0;
  readonly #counts = { ok: 0, failed: 0, unrun: 0, unreadable: 0 };

  constructor(run: EngineRun, from: BatchRoute, tools: ImportTools) {
    this.#run = run;
    this.#from = from;
    this.#tools = tools;
    this.#input = new InputWalk(() => run.input());
    this.#turn = new TurnTimer(tools.clock);
  }

  get seen(): SeenResults {
    return this.#counts;
  }

  get full(): boolean {
    return this.#windowBytes >= WINDOW_BYTES || this.#window.length >= WINDOW_LINES;
  }

  close(): void {
    this.#input.close();
  }

  countUnreadable(): void {
    this.#counts.unreadable++;
  }

  take(bytes: Buffer): void {
    const result = this.#from.batches.readResult(bytes);
    const line = result === null ? null : readProviderLineId(this.#run.batch.id, result.customId);
    if (result === null || line === null || this.#numbers.has(line)) {
      this.countUnreadable();
      return;
    }
    this.#numbers.add(line);
    if (result.end === 'unrun') {
      this.#counts.unrun++;
      return;
    }
    this.#window.push({ line, end: result.end });
    this.#windowBytes += bytes.length;
  }

  async flush(): Promise<void> {
    const window = this.#window.sort((a, b) => a.line - b.line);
    this.#window = [];
    this.#windowBytes = 0;
    let group: DoneLine[] = [];
    for (const result of window) {
      if (this.#turn.isOver) await this.#turn.next();
      const sent = await this.#input.find(result.line);
      const done = sent === null ? null : await this.#done(sent, result);
      if (done === null) {
        this.countUnreadable();
        continue;
      }
      this.#counts[done.ok ? 'ok' : 'failed']++;
      group.push(done);
      if (group.length < GROUP_LINES_MAX) continue;
      await insertLines(this.#tools.db, this.#run.job, group);
      group = [];
    }
    if (group.length > 0) await insertLines(this.#tools.db, this.#run.job, group);
  }

  /** Null when there is no usable answer. */
  async #done({ bytes, line }: InputLine, { end }: NumberedResult): Promise<DoneLine | null> {
    if (end === 'unrun') return null;
    const { model, route, provider, kind } = this.#from;
    const read = await readLine(bytes, this.#tools.json);
    const now = this.#tools.clock.now();
    const named = { line, customId: read.customId, requestId: newId('req', now) };
    const { batch, principal } = this.#run;
    const startedAt = batch.createdAt;
    const { attribution, budgets } = attributeCall(
      { principal, tags: batch.tags },
      kind.attributed(read),
      [batch.model],
      this.#tools.calls,
    );
    const record: LineRecord = {
      provider: route.provider,
      upstreamModel: route.upstreamModel,
      attempts: 1,
      tried: [],
      startedAt,
      durationMs: now - startedAt,
      outcome: 'failed',
      problem: null,
      finishReason: null,
      usage: null,
      usageSource: 'none',
      priceVersion: null,
      charge: null,
      attribution,
      ...(budgets !== null && { budgets: budgets.of(batch.model) }),
    };
    const failed = (problem: Problem): DoneLine =>
      failedLine(named, problem, { ...record, problem: problem.code });
    if ('problem' in end) {
      const said = kind.explain(end.problem, provider);
      return failed(providerProblem(said, { route, model, asWritten: true }));
    }
    const answered = {
      requestId: named.requestId,
      createdSeconds: unixSecondsOf(now),
      answer: end.body,
    };
    const answer = kind.read(read, this.#from, answered);
    if (answer === null) return null;
    if (answer instanceof Problem) return failed(answer);
    // Counts that cannot be true leave the cost unknown, so that somebody looks at the batch.
    const { usage } = reportedUsage(answer.usage, model, kind.size(read)) ?? { usage: null };
    const price = batchPrice(chargedPrice(model, principal, startedAt));
    const charge = usage === null ? null : priceUsage(usage, price);
    const body = lineBody(answer.body({ usage, cost: charge?.total ?? null }));
    const priceVersion = charge === null ? null : model.priceVersion;
    const missing = usage === null || charge !== null ? [] : missingPrices(usage, price);
    return goodLine(named, body, {
      ...record,
      outcome: 'completed',
      finishReason: answer.finishReason,
      charge,
      usage,
      priceVersion,
      missing,
      usageSource: usage === null ? 'none' : 'provider',
      providerCost: providerCost(route.billing, usage, { startedAt, batch: true }),
    });
  }
}

/** Finds input lines by number; fast when the numbers ascend. */
class InputWalk {
  readonly #open: () => Promise<Readable>;
  #input: Readable | null = null;
  #lines: AsyncGenerator<InputLine> | null = null;
  #at = 0;

  constructor(open: () => Promise<Readable>) {
    this.#open = open;
  }

  /** Null when there is no such line. */
  async find(line: number): Promise<InputLine | null> {
    if (this.#lines === null || line <= this.#at) await this.#restart();
    for (;;) {
      const next = await (this.#lines as AsyncGenerator<InputLine>).next();
      if (next.done) {
        this.#at = Number.POSITIVE_INFINITY;
        return null;
      }
      this.#at = next.value.line;
      if (this.#at >= line) return this.#at === line ? next.value : null;
    }
  }

  close(): void {
    this.#input?.destroy();
  }

  async #restart(): Promise<void> {
    this.close();
    this.#input = await this.#open();
    this.#lines = inputLines(this.#input);
    this.#at = 0;
  }
}
