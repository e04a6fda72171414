/** Anthropic's message batches. Does I/O. */

import { type Json, listOf, parseObject, textOf } from '../../../json/read-json.ts';
import type { Problem } from '../../../kernel/problem.ts';
import {
  type BatchDialect,
  type BatchLine,
  type BatchProvider,
  type BatchToCreate,
  CLOCK_SKEW_MS,
  type FoundBatch,
  PAGES_MAX,
  type ProviderBatch,
  type ProviderResult,
  ResultsGone,
  type SentBatch,
} from '../../batch-provider.ts';
import { NotSent } from '../../not-sent.ts';
import type { ProviderCalls } from '../../provider-calls.ts';
import { type ListedAnthropicBatch, readAnthropicBatch, readAnthropicResultLine } from './read-batch.ts';

const PATH = '/v1/messages/batches';
const PAGE_BATCHES = 100;
const JSON_TYPE = { 'content-type': 'application/json' };
/** The first custom id of the results must end within this many bytes. */
const FIRST_LINE_BYTES_MAX = 64 * 1024;
const [BEGIN, COMMA, END] = ['{"requests":[', ',', ']}'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
];

export class AnthropicBatchProvider implements BatchProvider {
  readonly linesMax = 100_000;
  readonly bytesMax = 256_000_000;
  readonly #calls: ProviderCalls;

  constructor(calls: ProviderCalls) {
    this.#calls = calls;
  }

  problem(status: number, body: Buffer): Problem {
    return this.#calls.problem(status, body);
  }

  takes(dialect: BatchDialect): boolean {
    return dialect === 'messages';
  }

  writeLine({ customId, body }: BatchLine): Buffer {
    return Buffer.concat([Buffer.from(`{"custom_id":"${customId}","params":`), body, Buffer.from('}')]);
  }

  /**
   * The lines are the body of the create request, so nothing is created before the last bytes arrive.
   * `mayAct` is asked just before those are sent.
   */
  async create({ input, mayAct }: BatchToCreate, signal: AbortSignal): Promise<ProviderBatch> {
    let whole = false;
    async function* pieces(): AsyncGenerator<Buffer> {
      yield BEGIN;
      let first = true;
      for await (const line of input.pieces()) {
        if (!first) yield COMMA;
        first = false;
        yield line;
      }
      if (!(await mayAct())) throw new Error('stopped before it was sent');
      whole = true;
      yield END;
    }
    const length = BEGIN.length + input.bytes + COMMA.length * (input.lines - 1) + END.length;
    try {
      const { json } = await this.#calls.post(PATH, signal, { headers: JSON_TYPE, body: { length, pieces } });
      return this.#batchOf(json);
    } catch (error) {
      throw whole ? error : new NotSent(error);
    }
  }

  /**
   * Anthropic stores no id of ours with a batch. Only the custom ids in the results identify it; until there
   * are results, any batch of the same time and size may be the one.
   */
  async find(sent: SentBatch, signal: AbortSignal): Promise<FoundBatch> {
    let unclear = false;
    for await (const { batch, lines, createdAt } of this.#list(sent.sentAt - CLOCK_SKEW_MS, signal)) {
      if (createdAt < sent.sentAt - CLOCK_SKEW_MS || lines !== sent.lines) continue;
      if (await sent.isOther(batch.id)) continue;
      if (batch.state === 'running') unclear = true;
      else if ((await this.#firstCustomId(batch, signal)).startsWith(`${sent.batchId}-`)) return batch;
    }
    return unclear ? 'unclear' : 'absent';
  }

  async status(id: string, signal: AbortSignal): Promise<ProviderBatch | null> {
    const path = `${PATH}/${encodeURIComponent(id)}`;
    const { status, json } = await this.#calls.get(path, signal, { fine: [404] });
    return status === 404 ? null : this.#batchOf(json);
  }

  async cancel(id: string, signal: AbortSignal): Promise<void> {
    // These statuses mean that it has already ended.
    const fine = [400, 404, 409];
    await this.#calls.post(`${PATH}/${encodeURIComponent(id)}/cancel`, signal, { fine });
  }

  async *results({ id }: ProviderBatch, signal: AbortSignal): AsyncGenerator<Buffer> {
    const reply = await this.#calls.open(`${PATH}/${encodeURIComponent(id)}/results`, signal);
    if (reply.status === 404)
      throw new ResultsGone(`the provider does not have the results of ${id} any more`);
    if (reply.status !== 200) throw this.problem(reply.status, Buffer.alloc(0));
    yield* reply.pieces();
  }

  readResult(line: Buffer): ProviderResult | null {
    return readAnthropicResultLine(line, this.#calls.mask);
  }

  async remove({ id }: { id: string }, signal: AbortSignal): Promise<void> {
    await this.#calls.delete(`${PATH}/${encodeURIComponent(id)}`, signal);
  }

  /** Newest first, back to `since`. */
  async *#list(since: number, signal: AbortSignal): AsyncGenerator<ListedAnthropicBatch> {
    let after = '';
    for (let page = 0; page < PAGES_MAX; page++) {
      const from = after === '' ? '' : `&after_id=${encodeURIComponent(after)}`;
      const { json } = await this.#calls.get(`${PATH}?limit=${PAGE_BATCHES}${from}`, signal);
      if (!Array.isArray(json?.data)) throw new Error('the provider did not list its batches');
      const batches = listOf(json.data).flatMap((item) => readAnthropicBatch(item) ?? []);
      yield* batches;
      after = textOf(json.last_id);
      if (json.has_more !== true || after === '' || (batches.at(-1)?.createdAt ?? since) < since) return;
    }
    throw new Error(`the provider lists more than ${PAGES_MAX} pages of batches`);
  }

  async #firstCustomId(batch: ProviderBatch, signal: AbortSignal): Promise<string> {
    const enough = new AbortController();
    let text = '';
    try {
      for await (const piece of this.results(batch, AbortSignal.any([signal, enough.signal]))) {
        text += piece.toString('latin1');
        const found = /"custom_id"\s*:\s*("[^"\\]{1,64}")/.exec(text)?.[1];
        if (found !== undefined) return JSON.parse(found) as string;
        if (text.length > FIRST_LINE_BYTES_MAX) break;
      }
      return textOf(parseObject(text.split('\n', 1)[0] ?? '')?.custom_id);
    } catch (error) {
      // Somebody removed it, so it is not ours: we remove a batch only after it is settled.
      if (error instanceof ResultsGone) return '';
      throw error;
    } finally {
      enough.abort();
    }
  }

  #batchOf(json: Json | null): ProviderBatch {
    const read = readAnthropicBatch(json);
    if (read === null) throw new Error("the provider's answer is not a batch");
    return read.batch;
  }
}
