/** Files and batches of OpenAI and of compatible servers. Does I/O. */

import { type Json, listOf, textOf } from '../../../json/read-json.ts';
import type { Problem } from '../../../kernel/problem.ts';
import { UpstreamFailure } from '../../../net/upstream-call.ts';
import {
  type BatchDialect,
  type BatchInput,
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
import { fileForm, uploadedId } from '../../file-form.ts';
import { NotSent } from '../../not-sent.ts';
import { jsonBody, type ProviderCalls } from '../../provider-calls.ts';
import {
  BATCH_METADATA,
  type ListedOpenaiBatch,
  readOpenaiBatch,
  readOpenaiResultLine,
} from './read-batch.ts';

const PAGE_BATCHES = 100;
const LINE_FEED = Buffer.from('\n');

/** The endpoints a server accepts in batch lines, by the dialect of the body. */
export type BatchPaths = Readonly<Partial<Record<BatchDialect, string>>>;

export class OpenaiBatchProvider implements BatchProvider {
  readonly linesMax = 50_000;
  readonly bytesMax = 200_000_000;
  readonly #paths: BatchPaths;
  readonly #calls: ProviderCalls;

  constructor(calls: ProviderCalls, paths: BatchPaths) {
    this.#calls = calls;
    this.#paths = paths;
  }

  problem(status: number, body: Buffer): Problem {
    return this.#calls.problem(status, body);
  }

  takes(dialect: BatchDialect): boolean {
    return this.#paths[dialect] !== undefined;
  }

  writeLine({ customId, dialect, body }: BatchLine): Buffer {
    const head = `{"custom_id":"${customId}","method":"POST","url":"${this.#paths[dialect]}","body":`;
    return Buffer.concat([Buffer.from(head), oneLine(body), Buffer.from('}\n')]);
  }

  async upload(input: BatchInput, signal: AbortSignal): Promise<string> {
    const { bytes } = input;
    const media = { mimeType: 'application/jsonl', bytes, pieces: () => input.pieces() };
    const form = fileForm({ purpose: 'batch' }, { name: `${input.batchId}.jsonl`, media });
    const { json } = await this.#calls.post('/files', signal, form);
    return uploadedId(json);
  }

  async withdraw(fileId: string, signal: AbortSignal): Promise<void> {
    await this.#calls.delete(`/files/${encodeURIComponent(fileId)}`, signal);
  }

  async create({ input, fileId, mayAct }: BatchToCreate, signal: AbortSignal): Promise<ProviderBatch> {
    const endpoint = this.#paths[input.dialect];
    const metadata = { [BATCH_METADATA]: input.batchId };
    const body = { input_file_id: fileId, endpoint, completion_window: '24h', metadata };
    if (!(await mayAct())) throw new NotSent(new Error('stopped before it was sent'));
    try {
      const { json } = await this.#calls.post('/batches', signal, jsonBody(body));
      return this.#batchOf(json);
    } catch (error) {
      const unconnected = error instanceof UpstreamFailure && error.kind === 'connect';
      throw unconnected ? new NotSent(error) : error;
    }
  }

  /** The list is expected newest first. A list in another order is read to its end. */
  async find({ batchId, sentAt }: SentBatch, signal: AbortSignal): Promise<FoundBatch> {
    let after = '';
    for (let page = 0; page < PAGES_MAX; page++) {
      const from = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
      const { json } = await this.#calls.get(`/batches?limit=${PAGE_BATCHES}${from}`, signal);
      if (!Array.isArray(json?.data)) throw new Error('the provider did not list its batches');
      const batches = listOf(json.data).flatMap((item) => readOpenaiBatch(item, this.#calls.mask) ?? []);
      const ours = batches.find(({ ourId }) => ourId === batchId);
      if (ours !== undefined) return ours.batch;
      after = textOf(json.last_id) || textOf(listOf(json.data).at(-1)?.id);
      if (json.has_more !== true || after === '' || isPast(batches, sentAt - CLOCK_SKEW_MS)) return 'absent';
    }
    throw new Error(`the provider lists more than ${PAGES_MAX} pages of batches`);
  }

  async status(id: string, signal: AbortSignal): Promise<ProviderBatch | null> {
    const path = `/batches/${encodeURIComponent(id)}`;
    const { status, json } = await this.#calls.get(path, signal, { fine: [404] });
    return status === 404 ? null : this.#batchOf(json);
  }

  async cancel(id: string, signal: AbortSignal): Promise<void> {
    // These statuses mean that it has already ended.
    const fine = [400, 404, 409];
    await this.#calls.post(`/batches/${encodeURIComponent(id)}/cancel`, signal, { fine });
  }

  async *results({ resultFiles }: ProviderBatch, signal: AbortSignal): AsyncGenerator<Buffer> {
    for (const file of resultFiles) {
      const reply = await this.#calls.open(`/files/${encodeURIComponent(file)}/content`, signal);
      if (reply.status === 404) throw new ResultsGone(`the provider does not have the file ${file} any more`);
      if (reply.status !== 200) throw this.problem(reply.status, Buffer.alloc(0));
      yield* reply.pieces();
      yield LINE_FEED;
    }
  }

  readResult(line: Buffer): ProviderResult | null {
    return readOpenaiResultLine(line, this.#calls.mask);
  }

  async remove({ id, fileId }: { id: string; fileId: string | null }, signal: AbortSignal): Promise<void> {
    const files = (await this.status(id, signal))?.resultFiles ?? [];
    for (const file of [...files, ...(fileId === null ? [] : [fileId])]) await this.withdraw(file, signal);
  }

  #batchOf(json: Json | null): ProviderBatch {
    const read = readOpenaiBatch(json, this.#calls.mask);
    if (read === null) throw new Error("the provider's answer is not a batch");
    return read.batch;
  }
}

/** Whether this page, and so every later page, is older than `moment`. */
function isPast(page: readonly ListedOpenaiBatch[], moment: number): boolean {
  const [first, last] = [page.at(0)?.createdAt ?? 0, page.at(-1)?.createdAt ?? 0];
  return first > last && last < moment;
}

/** Line breaks in JSON are only whitespace: inside a string they are escaped. */
function oneLine(json: Buffer): Buffer {
  if (!json.includes(10) && !json.includes(13)) return json;
  return Buffer.from(json.toString('latin1').replace(/[\r\n]/g, ''), 'latin1');
}
