/**
 * Submits many batches while the processes are killed with SIGKILL at random moments and restarted. Then compares what
 * is left.
 */

import type { Simulator } from '../../simulator/simulator.ts';
import type { BatchObject } from '../../src/contract/batches.ts';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { type Disagreement, verifyBooks } from '../../src/reports/verify-books.store.ts';
import { chatLine, type ResultLine } from '../support/batches-stage.ts';
import { changeConfig, pointAt } from '../support/config.ts';
import type { Engine } from '../support/engines.ts';
import { madeOf, providerConfig } from '../support/provider-batches-stage.ts';
import { type Ask, runKilled, untilSeen } from './killed-processes.ts';

export interface BatchChaosOptions {
  readonly engine: Engine;
  readonly batches: number;
  readonly lines: number;
  readonly kills: number;
}

export interface EndedBatch {
  readonly batch: BatchObject;
  readonly output: readonly ResultLine[];
  readonly errors: readonly ResultLine[];
}

export interface BatchChaosRun {
  readonly ended: readonly EndedBatch[];
  /** The number of batches in the database. */
  readonly batches: number;
  /** The charges of batches in the journal. */
  readonly charges: ReadonlyArray<{ ref: string; spent: string }>;
  readonly disagreements: readonly Disagreement[];
  /** The number of requests that our own workers sent to the provider. */
  readonly asked: number;
  /** For each batch at the provider: how many the provider created. */
  readonly made: readonly number[];
  readonly kills: number;
  readonly leftLines: number;
}

/** Lines of batches that one process runs at once. */
export const LINES_AT_ONCE = 8;
/** The models of the batches, in turn: our own workers run the first, the provider the others. */
export const models = ['own-chat', 'their-chat', 'their-claude'] as const;
/** In every line that our own workers run. */
const SLOWLY = '[[fault slow-first-byte]] [[delay 100]] ';
/** A batch that the provider does not list by then was never created. */
const UNKNOWN_MS = 1_000;
/** One line in this many is rejected by the gateway itself. */
export const BAD_EVERY = 10;

export async function runBatchChaos(options: BatchChaosOptions): Promise<BatchChaosRun> {
  return await runKilled(
    {
      ...{ engine: options.engine, kills: options.kills, config },
      begin: (ask) =>
        Promise.all(Array.from({ length: options.batches }, (_, i) => submit(ask, i, options.lines))),
      async finish(ids, ask) {
        const ended: EndedBatch[] = [];
        for (const id of ids) ended.push(await untilSettled(ask, id));
        return ended;
      },
    },
    async (ended, { db, simulator }) => ({
      ended,
      // Requests about batches at the provider are in the list as well, and a slow machine asks more often.
      asked: simulator.calls.filter(({ text }) => text.includes(SLOWLY)).length,
      made: ended
        .filter(({ batch }) => batch.model.startsWith('their-'))
        .map(({ batch }) => madeOf({ simulator }, batch.id).length),
      kills: options.kills,
      ...(await read(db)),
    }),
  );
}

/** With Idempotency-Keys, so that a retry after a kill gets the same upload and the same batch. */
async function submit(ask: Ask, number: number, lines: number): Promise<string> {
  const model = models[number % models.length] as string;
  // Slow enough to be running when a process is killed; batches at the provider are slow anyway.
  const slowly = model === 'own-chat' ? SLOWLY : '';
  const text = Array.from({ length: lines }, (_, i) =>
    chatLine(`l-${i}`, `${slowly}${number}-${i}`, { model, ...(i % BAD_EVERY === 0 && { temperature: 9 }) }),
  ).join('\n');
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([text]), 'input.jsonl');
  const headers = { 'idempotency-key': `chaos-${number}` };
  const file = (await (await ask('/v1/files', { method: 'POST', body: form, headers })).json()) as {
    id: string;
  };
  const reply = await ask('/v1/batches', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    }),
  });
  const batch = (await reply.json()) as { id?: string };
  if (batch.id === undefined) throw new Error(`batch ${number} was rejected: ${JSON.stringify(batch)}`);
  return batch.id;
}

async function untilSettled(ask: Ask, id: string): Promise<EndedBatch> {
  const batch = await untilSeen<BatchObject>(
    ask,
    `/v1/batches/${id}`,
    ({ settlement_status }) => settlement_status === 'settled',
  );
  const lines = async (fileId: string | null): Promise<ResultLine[]> => {
    if (fileId === null) return [];
    const content = await (await ask(`/v1/files/${fileId}/content`)).text();
    return content
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ResultLine);
  };
  return { batch, output: await lines(batch.output_file_id), errors: await lines(batch.error_file_id) };
}

async function read(db: Database) {
  const [counts] = await db.query<{ batches: number; lines: number }>(sql`
    select (select count(*) from batches) as batches, (select count(*) from batch_lines) as lines`);
  return {
    batches: counts?.batches ?? -1,
    leftLines: counts?.lines ?? -1,
    charges: await db.query<{ ref: string; spent: string }>(sql`
      select ref, trim_scale(spent)::text as spent from journal where kind = 'charge' order by ref`),
    disagreements: (await verifyBooks(db)).disagreements,
  };
}

function config(simulator: Simulator): string {
  const limits = { batch_lines: LINES_AT_ONCE };
  return pointAt(changeConfig(providerConfig(UNKNOWN_MS), { limits }), { simulator });
}
