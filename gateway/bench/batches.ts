/**
 * How fast our own workers run the lines of a batch, beside how fast the same gateway answers the same calls
 * one by one, and how much memory that takes. On PostgreSQL and on the embedded engine.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { BatchObject } from '../src/contract/batches.ts';
import type { LoadAnswer, LoadJob, LoadResult } from './load-job.ts';
import { rssMib } from './process-figures.ts';
import type { Table } from './table.ts';
import type { Target } from './target.ts';
import { within } from './target.ts';
import { callBody, MODEL } from './workload.ts';

const CONNECTIONS = 64;
const WARM_UP_MS = 15_000;
const WINDOW_MS = 10_000;
const SHARE_MIN = 0.6;
const LOOK_MS = 100;
const BATCH_MS_MAX = 600_000;

export interface BatchesSample {
  readonly target: Target;
  readonly lines: number;
  readonly callsPerSecond: number;
  readonly linesPerSecond: number;
  readonly idleMib: number;
  readonly peakMib: number;
  readonly faults: readonly string[];
}

export async function measureBatches(
  target: Target,
  { lines, load, say }: { lines: number; load: ChildProcess; say: (line: string) => void },
): Promise<BatchesSample> {
  await calls(target, load, WARM_UP_MS);
  await runBatch(target, Math.ceil(lines / 10));
  const { calls: answered, elapsedMs } = await calls(target, load, WINDOW_MS);
  const callsPerSecond = answered / (elapsedMs / 1000);
  const idleMib = rssMib(target.pids());
  const run = await runBatch(target, lines);
  say(
    `${target.name}: ${callsPerSecond.toFixed(0)} calls/s, ${run.linesPerSecond.toFixed(0)} lines/s, ` +
      `${(run.peakMib - idleMib).toFixed(0)} MiB more`,
  );
  return { target, lines, callsPerSecond, idleMib, ...run };
}

export function batchesTable(samples: readonly BatchesSample[]): Table {
  return {
    title: `A batch of ${samples[0]?.lines.toLocaleString('en')} lines in our own workers`,
    head: ['', 'calls/s', 'lines/s', 'share', `at least ${SHARE_MIN}`, 'MiB before', 'MiB at most'],
    rows: samples.map(({ target, callsPerSecond, linesPerSecond, idleMib, peakMib }) => {
      const share = linesPerSecond / callsPerSecond;
      return [
        target.name,
        callsPerSecond.toFixed(0),
        linesPerSecond.toFixed(0),
        share.toFixed(2),
        share >= SHARE_MIN ? 'pass' : 'miss',
        idleMib.toFixed(0),
        peakMib.toFixed(0),
      ];
    }),
    notes: [],
  };
}

async function calls(target: Target, load: ChildProcess, timeMs: number): Promise<LoadResult> {
  const answer = new Promise<LoadAnswer>((resolve) => load.once('message', resolve as () => void));
  load.send({
    port: target.port,
    key: target.key,
    model: MODEL,
    wire: 'chat',
    headers: {},
    encoding: 'float',
    stamped: false,
    bodyBytes: 0,
    streams: false,
    connections: CONNECTIONS,
    ratePerSecond: null,
    callsMax: 1_000_000,
    timeMs,
    graceMs: 5_000,
  } satisfies LoadJob);
  const answered = await within(timeMs + 30_000, 'the load does not answer', answer);
  if ('error' in answered) throw new Error(answered.error);
  return answered.result;
}

/** From the first line to the last; what comes before and after is not the engine's. */
async function runBatch(
  target: Target,
  lines: number,
): Promise<Pick<BatchesSample, 'linesPerSecond' | 'peakMib' | 'faults'>> {
  const ask = async <Body>(path: string, init: RequestInit = {}): Promise<Body> => {
    const headers = { authorization: `Bearer ${target.key}`, ...(init.headers as Record<string, string>) };
    const reply = await fetch(`http://127.0.0.1:${target.port}/v1/${path}`, { ...init, headers });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as Body;
  };
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([inputText(lines)]), 'bench.jsonl');
  const { id: input_file_id } = await ask<{ id: string }>('files', { method: 'POST', body: form });
  const made = await ask<BatchObject>('batches', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' }),
  });
  const startedMs = performance.now();
  let [peakMib, doneMs] = [0, 0];
  for (;;) {
    const batch = await ask<BatchObject>(`batches/${made.id}`);
    const { completed, failed } = batch.request_counts;
    peakMib = Math.max(peakMib, rssMib(target.pids()));
    if (doneMs === 0 && completed + failed === lines) doneMs = performance.now();
    if (batch.settlement_status === 'settled') {
      const faults = completed === lines ? [] : [`${target.name}: ${completed} of ${lines} lines went well`];
      return { linesPerSecond: lines / ((doneMs - startedMs) / 1000), peakMib, faults };
    }
    if (performance.now() - startedMs > BATCH_MS_MAX) throw new Error(`the batch is ${batch.status}`);
    await pause(LOOK_MS);
  }
}

function inputText(lines: number): string {
  const body = {
    ...(JSON.parse(callBody({ model: MODEL, streams: false })) as object),
    service_tier: 'default',
  };
  const line = (i: number): string =>
    JSON.stringify({ custom_id: `line-${i}`, method: 'POST', url: '/v1/chat/completions', body });
  return Array.from({ length: lines }, (_, i) => line(i)).join('\n');
}
