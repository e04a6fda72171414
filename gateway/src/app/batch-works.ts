/** What the workers of this process do for batches: the job, and the engines it runs lines on. */
import { type AdvanceTools, advanceBatch, BATCH_JOB } from '../batches/advance-batch.ts';
import type { BatchEngine } from '../batches/batch-engine.ts';
import type { Batch } from '../batches/batches.store.ts';
import { LineSlots } from '../batches/line-slots.ts';
import { providerEngine } from '../batches/provider-engine.ts';
import { chooseEngine } from '../batches/provider-place.ts';
import { ownEngine } from '../batches/run-lines.ts';
import type { RunTextTools } from '../calls/text-request.ts';
import type { JobWork } from '../jobs/job-runner.ts';
import type { JsonLimits } from '../kernel/json/parse-json.ts';

export interface BatchWorksOptions {
  readonly advance: Omit<AdvanceTools, 'engineOf'>;
  readonly calls: RunTextTools;
  readonly json: JsonLimits;
  /** At once in this process, of all batches together. */
  readonly linesMax: number;
  /** Of batches that a provider runs: see limits.ts. */
  readonly pollMs: number;
  readonly unknownMs: number;
}

export function batchWorks(options: BatchWorksOptions): Record<string, JobWork> {
  const { advance, calls, json, linesMax, pollMs, unknownMs } = options;
  const { catalog, clock, db } = advance;
  const { providers } = calls;
  const own = ownEngine({ db, clock, calls, json, slots: new LineSlots({ clock, linesMax }) });
  const provider = providerEngine({
    ...{ db, clock, calls, json, own, catalog, providers, pollMs, unknownMs },
    resultBytesMax: calls.limits.upstreamBodyBytesMax,
  });
  const engineOf = (batch: Batch): BatchEngine =>
    chooseEngine(batch, { own, provider }, { catalog, providers });
  const tools: AdvanceTools = { ...advance, engineOf };
  return { [BATCH_JOB]: (job, signal) => advanceBatch(job, signal, tools) };
}
