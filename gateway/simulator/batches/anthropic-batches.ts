/** Anthropic's message batches. */
import { DAY_MS } from '../../src/kernel/durations.ts';
import { isoOf } from '../../src/kernel/time.ts';
import { anthropic } from '../anthropic/anthropic.ts';
import { messages } from '../anthropic/messages.ts';
import { invalid, notJson, required } from '../anthropic/refusals.ts';
import { readCues } from '../cues.ts';
import type { FaultStatus } from '../dialect.ts';
import type { ExactAnswer } from '../exact-answers.ts';
import { record } from '../json.ts';
import { Refusal } from '../refusal.ts';
import { honestBill } from '../script.ts';
import { readBatchCues } from './batch-cues.ts';
import { loseAnswer, pageOf, type ServedEndpoint, sendResults } from './served.ts';
import type { Shop, ShopBatch, ShopLine } from './shop.ts';

const DIALECT = 'anthropic';
const PATH = '/v1/messages/batches';
const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const REQUESTS_MAX = 100_000;
const WINDOW_MS = DAY_MS;
const VERSION = { 'anthropic-version': '2023-06-01' };

const create: ServedEndpoint = {
  dialect: anthropic,
  method: 'POST',
  path: PATH,
  async serve({ shop, reply, body, text }) {
    const requests = record(body)?.requests;
    if (record(body) === null) throw notJson();
    if (!Array.isArray(requests)) throw required('requests');
    if (requests.length === 0 || requests.length > REQUESTS_MAX) {
      throw invalid(`requests: List should have at least 1 and at most ${REQUESTS_MAX} items`);
    }
    const lines = requests.map((request, place) => readLine(request, place, shop));
    if (new Set(lines.map(({ customId }) => customId)).size < lines.length) {
      throw invalid('requests: custom_id must be unique');
    }
    const cues = readBatchCues(text);
    const key = lines[0]?.customId ?? '';
    if (!(await shop.hold('create-before', { text, key, reply }))) return;
    if (cues.names.has('create-400'))
      throw invalid('requests: Claude batches are off for org-9tZq4LwXk2VbN7mD');
    const batch = { lines, text, metadata: {}, inputFile: null, endpoint: '/v1/messages' };
    const made = shop.addBatch({ dialect: DIALECT, prefix: 'msgbatch_', ...batch });
    if (!(await shop.hold('create', { text, key, reply }))) return;
    if (cues.names.has('create-500')) throw anthropic.failWith(500);
    if (!loseAnswer(cues, reply)) reply.sendJson(200, JSON.stringify(batchObject(made, null)));
  },
};

const list: ServedEndpoint = {
  dialect: anthropic,
  method: 'GET',
  path: PATH,
  serve({ shop, reply, query }) {
    const page = { after: query.get('after_id'), limit: query.get('limit') };
    const { data, more } = pageOf(shop.list(DIALECT), page);
    const ids = { first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null };
    const shown = data.map((batch) => batchObject(batch, shop));
    reply.sendJson(200, JSON.stringify({ data: shown, has_more: more, ...ids }));
  },
};

const retrieve: ServedEndpoint = {
  dialect: anthropic,
  method: 'GET',
  path: `${PATH}/{batch}`,
  serve({ shop, reply, params }) {
    reply.sendJson(200, JSON.stringify(batchObject(batchOf(shop, params.batch), shop)));
  },
};

const cancel: ServedEndpoint = {
  dialect: anthropic,
  method: 'POST',
  path: `${PATH}/{batch}/cancel`,
  serve({ shop, reply, params }) {
    const batch = batchOf(shop, params.batch);
    if (shop.resultsOf(batch) !== null) throw invalid('Batch has already ended.');
    shop.cancel(batch);
    reply.sendJson(200, JSON.stringify(batchObject(batch, shop)));
  },
};

const remove: ServedEndpoint = {
  dialect: anthropic,
  method: 'DELETE',
  path: `${PATH}/{batch}`,
  serve({ shop, reply, params }) {
    const batch = batchOf(shop, params.batch);
    if (shop.resultsOf(batch) === null) throw invalid('Batch is still in progress; cancel it first.');
    batch.removed = true;
    reply.sendJson(200, JSON.stringify({ id: batch.id, type: 'message_batch_deleted' }));
  },
};

const results: ServedEndpoint = {
  dialect: anthropic,
  method: 'GET',
  path: `${PATH}/{batch}/results`,
  async serve({ shop, reply, params }) {
    const batch = batchOf(shop, params.batch);
    const ended = shop.resultsOf(batch);
    const text = [...batch.cues.names].map((name) => `[[batch ${name}]]`).join();
    if (!(await shop.hold('results', { text, key: batch.id, reply }))) return;
    if (ended === null || batch.cues.names.has('gone-results'))
      throw new Refusal(404, 'No results available');
    const firstTime = shop.firstTime(`results ${batch.id}`);
    const type = 'application/x-jsonl';
    await sendResults(reply, [...ended.good, ...ended.bad], { cues: batch.cues, type, firstTime });
  },
};

export const anthropicBatches: readonly ServedEndpoint[] = [create, list, retrieve, cancel, remove, results];

function readLine(request: unknown, place: number, { answers }: Shop): ShopLine {
  const { custom_id: customId, params } = record(request) ?? {};
  if (typeof customId !== 'string') throw required(`requests.${place}.custom_id`);
  if (!CUSTOM_ID.test(customId)) {
    throw invalid(`requests.${place}.custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`);
  }
  if (record(params) === null) throw required(`requests.${place}.params`);
  const written = (result: string): string => `{"custom_id":"${customId}","result":${result}}`;
  return {
    customId,
    // What the params are is looked at when they are run.
    run() {
      try {
        const exact = answers.find(params, JSON.stringify(params));
        if (exact !== null) return { text: written(exactResult(exact)), ok: (exact.status ?? 200) === 200 };
        const script = messages.read(params, { headers: VERSION, query: new URLSearchParams(), params: {} });
        const { fault } = readCues({}, script.asked);
        const status = /^error-(\d{3})$/.exec(fault ?? '')?.[1];
        if (status !== undefined) throw anthropic.failWith(Number(status) as FaultStatus);
        const bill = fault === 'missing-usage' ? () => null : honestBill;
        return { text: written(`{"type":"succeeded","message":${script.body(bill).trim()}}`), ok: true };
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        const error = anthropic.writeRefusal(thrown, 'req_011CSimulated');
        return { text: written(`{"type":"errored","error":${error}}`), ok: false };
      }
    },
    unrun: (why) => written(`{"type":"${why === 'cancelled' ? 'canceled' : 'expired'}"}`),
  };
}

/** Without a shop: as it is at the moment it is made. */
function batchObject(batch: ShopBatch, shop: Shop | null): object {
  const ended = shop?.resultsOf(batch) ?? null;
  const { ok = 0, failed = 0, cancelled = 0, expired = 0 } = ended?.counts ?? {};
  const running = batch.cancelledAt === null ? 'in_progress' : 'canceling';
  return {
    id: batch.id,
    type: 'message_batch',
    processing_status: ended === null ? running : 'ended',
    request_counts: {
      processing: ended === null ? batch.lines.length : 0,
      succeeded: ok,
      errored: failed,
      canceled: cancelled,
      expired,
    },
    created_at: isoOf(batch.createdAt),
    expires_at: isoOf(batch.createdAt + WINDOW_MS),
    ended_at: ended === null ? null : isoOf(batch.endsAt),
    cancel_initiated_at: batch.cancelledAt === null ? null : isoOf(batch.cancelledAt),
    archived_at: null,
    results_url: ended === null ? null : `https://${anthropic.host}${PATH}/${batch.id}/results`,
  };
}

function batchOf(shop: Shop, id: string | undefined): ShopBatch {
  const batch = shop.find(id ?? '', DIALECT);
  if (batch === null) throw new Refusal(404, 'Not found');
  return batch;
}

function exactResult({ status = 200, body }: ExactAnswer): string {
  return status === 200 ? `{"type":"succeeded","message":${body}}` : `{"type":"errored","error":${body}}`;
}
