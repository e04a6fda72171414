/**
 * Reads the results of a provider's batch into our own lines. They come in any order and are larger than
 * memory, and each needs its line of the input: so they are taken a window at a time, in order, beside a
 * walk through the input.
 */
import type { Readable } from 'node:stream';
import { BatchLines } from '../batch-files/batch-lines.ts';
import { providerProblem } from '../calls/provider-problem.ts';
import type { Database } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import type { JsonLimits } from '../kernel/json/parse-json.ts';
import { Problem } from '../kernel/problem.ts';
import { type Clock, unixSecondsOf } from '../kernel/time.ts';
import { batchPrice, priceUsage } from '../pricing/price.ts';
import type { ProviderBatch, ProviderResult } from '../providers/batch-provider.ts';
import type { EngineRun } from './batch-engine.ts';
import { type DoneLine, insertLines } from './batch-lines.store.ts';
import { type InputLine, inputLines } from './input-lines.ts';
import { lineBody } from './line-reply.ts';
import { type ProviderPlace, readProviderLineId } from './prepare-input.ts';
import { readLine } from './read-line.ts';
import { failedLine, goodLine } from './result-line.ts';
import { Turns } from './turns.ts';

export interface ImportTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly json: JsonLimits;
  /** Of one result. */
  readonly resultBytesMax: number;
}

/** What the results held. */
export interface SeenResults {
  readonly ok: number;
  readonly failed: number;
  readonly unrun: number;
  /** Lines that are no result, are of no line that was sent, or of one that had a result already. */
  readonly unreadable: number;
}

/** Results that are held at once. */
const WINDOW_BYTES = 8 * 1024 * 1024;
const WINDOW_LINES = 10_000;
const GROUP_LINES_MAX = 200;

/** Throws when the results break off, or the job is no longer ours. */
export async function importResults(
  run: EngineRun,
  { place, ended }: { place: ProviderPlace; ended: ProviderBatch },
  { signal, tools }: { signal: AbortSignal; tools: ImportTools },
): Promise<SeenResults> {
  const importing = new Import(run, place, tools);
  try {
    const lines = new BatchLines({
      bytesMax: tools.resultBytesMax,
      // The bytes are good for this call only.
      onLine: (bytes) => importing.take(Buffer.from(bytes)),
      onTooLong: () => importing.spoil(),
    });
    for await (const piece of place.batches.results(ended, signal)) {
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
  readonly #place: ProviderPlace;
  readonly #tools: ImportTools;
  readonly #input: InputWalk;
  readonly #turns: Turns;
  readonly #numbers = new Set<number>();
  #window: NumberedResult[] = [];
  #windowBytes = 0;
  readonly #counts = { ok: 0, failed: 0, unrun: 0, unreadable: 0 };

  constructor(run: EngineRun, place: ProviderPlace, tools: ImportTools) {
    this.#run = run;
    this.#place = place;
    this.#tools = tools;
    this.#input = new InputWalk(() => run.input());
    this.#turns = new Turns(tools.clock);
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

  spoil(): void {
    this.#counts.unreadable++;
  }

  take(bytes: Buffer): void {
    const result = this.#place.batches.readResult(bytes);
    const line = result === null ? null : readProviderLineId(this.#run.batch.id, result.customId);
    if (result === null || line === null || this.#numbers.has(line)) {
      this.spoil();
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
      if (this.#turns.over) await this.#turns.next();
      const sent = await this.#input.find(result.line);
      const done = sent === null ? null : await this.#done(sent, result);
      if (done === null) {
        this.spoil();
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

  /** Null when the answer is none. */
  async #done({ bytes, line }: InputLine, { end }: NumberedResult): Promise<DoneLine | null> {
    if (end === 'unrun') return null;
    const { model, route, kind } = this.#place;
    const read = await readLine(bytes, this.#tools.json);
    const now = this.#tools.clock.now();
    const named = { line, customId: read.customId, requestId: newId('req', now) };
    if ('problem' in end) {
      return failedLine(named, providerProblem(end.problem, { route, model, asWritten: true }));
    }
    const answered = {
      requestId: named.requestId,
      createdSeconds: unixSecondsOf(now),
      answer: end.body,
    };
    const answer = kind.read(read, this.#place, answered);
    if (answer === null) return null;
    if (answer instanceof Problem) return failedLine(named, answer);
    const { usage } = answer;
    const charge = usage === null ? null : priceUsage(usage, batchPrice(model.price));
    const body = lineBody(answer.body({ usage, cost: charge?.total ?? null }));
    const priceVersion = charge === null ? null : model.priceVersion;
    return goodLine(named, body, { charge, usage, priceVersion });
  }
}

/** Finds lines of the input by their numbers: quickly when they are asked for in order. */
class InputWalk {
  readonly #open: () => Promise<Readable>;
  #input: Readable | null = null;
  #lines: AsyncGenerator<InputLine> | null = null;
  #at = 0;

  constructor(open: () => Promise<Readable>) {
    this.#open = open;
  }

  /** Null when there is none of this number. */
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
