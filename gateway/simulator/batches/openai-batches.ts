/** OpenAI's files and batches. */
import { randomBase62 } from '../../src/kernel/ids.ts';
import { unixSecondsOf } from '../../src/kernel/time.ts';
import { readCues } from '../cues.ts';
import type { FaultStatus } from '../dialect.ts';
import { record } from '../json.ts';
import { Form } from '../multipart.ts';
import { chatCompletions } from '../openai/chat.ts';
import { embeddings } from '../openai/embeddings.ts';
import { openAi } from '../openai/open-ai.ts';
import { missing } from '../openai/refusals.ts';
import { responses } from '../openai/responses.ts';
import { Refusal } from '../refusal.ts';
import { type Endpoint, honestBill } from '../script.ts';
import { readBatchCues } from './batch-cues.ts';
import { listPage, loseAnswer, type ServedEndpoint, sendResults } from './served.ts';
import type { Shop, ShopBatch, ShopFile, ShopLine } from './shop.ts';

const DIALECT = 'openai';
const WINDOW_SECONDS = 24 * 60 * 60;

const runnable: Readonly<Record<string, Endpoint>> = {
  '/v1/chat/completions': chatCompletions,
  '/chat/completions': chatCompletions,
  '/v1/responses': responses,
  '/v1/embeddings': embeddings,
};

const upload: ServedEndpoint = {
  dialect: openAi,
  method: 'POST',
  path: '/v1/files',
  async serve({ shop, reply, body }) {
    const [file] = body instanceof Form ? body.files('file') : [];
    const purpose = body instanceof Form ? body.text('purpose') : undefined;
    if (file === undefined || purpose === undefined) throw missing(file === undefined ? 'file' : 'purpose');
    const text = file.data.toString('utf8');
    const fails = readBatchCues(text).names.has('upload-500') && shop.firstTime(`upload ${file.filename}`);
    if (fails) throw openAi.failWith(500);
    const mediaType = file.mediaType ?? 'application/octet-stream';
    const bytes = Buffer.from(file.data);
    const stored = shop.addFile({ name: file.filename ?? '', purpose, bytes, mediaType });
    if (!(await shop.hold('upload', { text, key: stored.name, reply }))) return;
    reply.sendJson(200, JSON.stringify(fileObject(stored)));
  },
};

const getFile: ServedEndpoint = {
  dialect: openAi,
  method: 'GET',
  path: '/v1/files/{file}',
  serve({ shop, reply, params }) {
    reply.sendJson(200, JSON.stringify(fileObject(fileOf(shop, params.file))));
  },
};

const deleteFile: ServedEndpoint = {
  dialect: openAi,
  method: 'DELETE',
  path: '/v1/files/{file}',
  serve({ shop, reply, params }) {
    const { id } = fileOf(shop, params.file);
    shop.files.delete(id);
    reply.sendJson(200, JSON.stringify({ id, object: 'file', deleted: true }));
  },
};

const fileContent: ServedEndpoint = {
  dialect: openAi,
  method: 'GET',
  path: '/v1/files/{file}/content',
  async serve({ shop, reply, params }) {
    const file = fileOf(shop, params.file);
    const batch = shop.batches.find(({ id }) => file.name.startsWith(id));
    if (batch === undefined) {
      reply.send(200, { 'content-type': 'application/octet-stream' }, file.bytes);
      return;
    }
    const text = [...batch.cues.names].map((name) => `[[batch ${name}]]`).join();
    if (!(await shop.hold('results', { text, key: batch.id, reply }))) return;
    if (batch.cues.names.has('gone-results')) throw unknownFile();
    const lines = file.bytes.toString('utf8').split('\n').filter(Boolean);
    const firstTime = shop.firstTime(`content ${file.id}`);
    await sendResults(reply, lines, { cues: batch.cues, type: 'application/octet-stream', firstTime });
  },
};

const create: ServedEndpoint = {
  dialect: openAi,
  method: 'POST',
  path: '/v1/batches',
  async serve({ shop, reply, body }) {
    const { input_file_id: inputFile, endpoint, completion_window: window, metadata } = record(body) ?? {};
    if (typeof inputFile !== 'string') throw missing('input_file_id');
    if (typeof endpoint !== 'string') throw missing('endpoint');
    if (window !== '24h') throw missing('completion_window');
    const asked = shop.files.get(inputFile);
    const [text, key] = [asked?.bytes.toString('utf8') ?? '', asked?.name ?? ''];
    if (!(await shop.hold('create-before', { text, key, reply }))) return;
    // Looked for when it is made, not when it was asked for.
    const input = shop.files.get(inputFile);
    if (input === undefined || input.purpose !== 'batch') throw invalidFile(inputFile);
    const cues = readBatchCues(text);
    if (cues.names.has('create-400'))
      throw new Refusal(400, `No batches of sim-chat for org-9tZq4LwXk2VbN7mD.`);
    const lines = text
      .split('\n')
      .filter(Boolean)
      .map((line) => readLine(line, shop));
    const made = shop.addBatch({
      dialect: DIALECT,
      prefix: 'batch_',
      lines,
      text,
      inputFile,
      endpoint,
      metadata: (record(metadata) ?? {}) as Record<string, string>,
    });
    if (!(await shop.hold('create', { text, key, reply }))) return;
    if (cues.names.has('create-500')) throw openAi.failWith(500);
    if (!loseAnswer(cues, reply)) reply.sendJson(200, JSON.stringify(batchObject(made, shop, 'validating')));
  },
};

const list: ServedEndpoint = {
  dialect: openAi,
  method: 'GET',
  path: '/v1/batches',
  serve({ shop, reply, query }) {
    const page = listPage(shop.list(DIALECT), query, (batch) => batchObject(batch, shop));
    reply.sendJson(200, page);
  },
};

const retrieve: ServedEndpoint = {
  dialect: openAi,
  method: 'GET',
  path: '/v1/batches/{batch}',
  serve({ shop, reply, params }) {
    reply.sendJson(200, JSON.stringify(batchObject(batchOf(shop, params.batch), shop)));
  },
};

const cancel: ServedEndpoint = {
  dialect: openAi,
  method: 'POST',
  path: '/v1/batches/{batch}/cancel',
  serve({ shop, reply, params }) {
    const batch = batchOf(shop, params.batch);
    if (shop.resultsOf(batch) !== null) {
      throw new Refusal(409, 'Cannot cancel a batch that has already ended.');
    }
    shop.cancel(batch);
    reply.sendJson(200, JSON.stringify(batchObject(batch, shop)));
  },
};

export const openAiBatches: readonly ServedEndpoint[] = [
  ...[upload, getFile, deleteFile, fileContent],
  ...[create, list, retrieve, cancel],
];

function readLine(text: string, { answers }: Shop): ShopLine {
  const { custom_id, url, body } = JSON.parse(text) as { custom_id: string; url: string; body: unknown };
  const written = (response: object | null, error: object | null): string =>
    JSON.stringify({ id: `batch_req_${randomBase62(24)}`, custom_id, response, error });
  const answered = (status: number, json: string): string =>
    written({ status_code: status, request_id: randomBase62(32), body: JSON.parse(json) }, null);
  return {
    customId: custom_id,
    run() {
      try {
        const exact = answers.find(body, text);
        if (exact !== null)
          return { text: answered(exact.status ?? 200, exact.body), ok: (exact.status ?? 200) === 200 };
        const endpoint = runnable[url];
        if (endpoint === undefined) throw new Refusal(404, `Invalid URL (POST ${url})`);
        const script = endpoint.read(body, { headers: {}, query: new URLSearchParams(), params: {} });
        const { fault } = readCues({}, script.asked);
        const status = /^error-(\d{3})$/.exec(fault ?? '')?.[1];
        if (status !== undefined) throw openAi.failWith(Number(status) as FaultStatus);
        const bill = fault === 'missing-usage' ? () => null : honestBill;
        return { text: answered(200, script.body(bill)), ok: true };
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        return { text: answered(thrown.status, openAi.writeRefusal(thrown, '')), ok: false };
      }
    },
    unrun: (why) => written(null, { code: `batch_${why}`, message: 'This request was not executed.' }),
  };
}

function fileObject({ id, name, purpose, bytes, createdAt }: ShopFile): object {
  return {
    id,
    object: 'file',
    filename: name,
    purpose,
    bytes: bytes.length,
    created_at: unixSecondsOf(createdAt),
    status: 'processed',
  };
}

function batchObject(batch: ShopBatch, shop: Shop, status?: string): object {
  const results = status === undefined ? shop.resultsOf(batch) : null;
  const created = unixSecondsOf(batch.createdAt);
  const { ok = 0, failed = 0, cancelled = 0, expired = 0 } = results?.counts ?? {};
  const running = batch.cancelledAt === null ? 'in_progress' : 'cancelling';
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.endpoint,
    errors: results?.end === 'failed' ? { object: 'list', data: failures } : null,
    input_file_id: batch.inputFile,
    completion_window: '24h',
    status: status ?? results?.end ?? running,
    output_file_id: resultFile(batch, shop, results?.good ?? [], 'output'),
    error_file_id: resultFile(batch, shop, results?.bad ?? [], 'error'),
    created_at: created,
    expires_at: created + WINDOW_SECONDS,
    request_counts: { total: batch.lines.length, completed: ok, failed: failed + cancelled + expired },
    metadata: batch.metadata,
  };
}

const failures = [
  {
    code: 'token_limit_exceeded',
    message:
      'Enqueued token limit reached for sim-chat in organization org-9tZq4LwXk2VbN7mD. Limit: 90,000 enqueued tokens.',
    param: null,
    line: null,
  },
  { code: 'invalid_json_line', message: 'This line is not parseable as valid JSON.', param: null, line: 2 },
];

/** Made when it is first told of. */
function resultFile(batch: ShopBatch, shop: Shop, lines: readonly string[], kind: string): string | null {
  if (lines.length === 0) return null;
  const name = `${batch.id}_${kind}.jsonl`;
  const there = shop.resultFiles.get(name);
  if (there !== undefined) return there;
  const { id } = shop.addFile({ name, purpose: 'batch_output', bytes: Buffer.from(`${lines.join('\n')}\n`) });
  shop.resultFiles.set(name, id);
  return id;
}

function fileOf(shop: Shop, id: string | undefined): ShopFile {
  const file = shop.files.get(id ?? '');
  if (file === undefined) throw unknownFile();
  return file;
}

function batchOf(shop: Shop, id: string | undefined): ShopBatch {
  const batch = shop.find(id ?? '', DIALECT);
  if (batch === null) throw new Refusal(404, `No batch found with id '${id}'.`);
  return batch;
}

function unknownFile(): Refusal {
  return new Refusal(404, 'No such File object', { param: 'id' });
}

function invalidFile(id: string): Refusal {
  return new Refusal(400, `Invalid input file '${id}'.`, { param: 'input_file_id' });
}
