/** What the workers of this process do for batches: the job, and the engine it runs lines on. */
import { type AdvanceTools, advanceBatch, BATCH_JOB } from '../batches/advance-batch.ts';
import { LineSlots } from '../batches/line-slots.ts';
import { ownEngine } from '../batches/run-lines.ts';
import type { RunTextTools } from '../gateway/text-request.ts';
import type { JobWork } from '../jobs/job-runner.ts';
import type { JsonLimits } from '../kernel/json.ts';

export interface BatchWorksOptions {
  readonly advance: Omit<AdvanceTools, 'engineOf'>;
  readonly calls: RunTextTools;
  readonly json: JsonLimits;
  /** At once in this process, of all batches together. */
  readonly linesMax: number;
}

export function batchWorks({ advance, calls, json, linesMax }: BatchWorksOptions): Record<string, JobWork> {
  const { clock, db } = advance;
  const own = ownEngine({ db, clock, calls, json, slots: new LineSlots({ clock, linesMax }) });
  const tools: AdvanceTools = { ...advance, engineOf: () => own };
  return { [BATCH_JOB]: (job, signal) => advanceBatch(job, signal, tools) };
}
