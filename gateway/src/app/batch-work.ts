/** The work of batch jobs in this process, with the engines that run the lines. */
import { type AdvanceTools, advanceBatch, BATCH_JOB } from '../batches/advance-batch.ts';
import type { BatchEngine } from '../batches/batch-engine.ts';
import { chooseEngine } from '../batches/batch-route.ts';
import type { Batch } from '../batches/batches.store.ts';
import { LineSlots } from '../batches/line-slots.ts';
import { providerEngine } from '../batches/provider-engine.ts';
import { ownEngine } from '../batches/run-lines.ts';
import type { CallTools } from '../calls/call-tools.ts';
import type { JobWork } from '../jobs/job-runner.ts';
import type { JsonLimits } from '../json/json-limits.ts';

export interface BatchWorkOptions {
  readonly advance: Omit<AdvanceTools, 'engineOf'>;
  readonly calls: CallTools;
  readonly json: JsonLimits;
  /** Lines that run at once in this process, of all batches together. */
  readonly linesMax: number;
  /** For batches that a provider runs: see limits.ts. */
  readonly pollMs: number;
  readonly unknownMs: number;
}

export function batchWork(options: BatchWorkOptions): Record<string, JobWork> {
  const { advance, calls, json, linesMax, pollMs, unknownMs } = options;
  const { catalog, clock, db } = advance;
  const { providers } = calls;
  const own = ownEngine({ db, clock, calls, json, slots: new LineSlots({ clock, linesMax }) });
  const provider = providerEngine({
    db,
    clock,
    calls,
    json,
    own,
    catalog,
    providers,
    pollMs,
    unknownMs,
    resultBytesMax: calls.limits.upstreamBodyBytesMax,
  });
  const engineOf = (batch: Batch): BatchEngine =>
    chooseEngine(batch, { own, provider }, { catalog, providers });
  const tools: AdvanceTools = { ...advance, engineOf };
  return { [BATCH_JOB]: (job, signal) => advanceBatch(job, signal, tools) };
}
