/** One gateway process as far as commits are concerned: its connections, its recorder, and calls of one space. */
import { openDatabase } from '../src/database/open-database.ts';
import { systemClock } from '../src/kernel/time.ts';
import { CallRecorder } from '../src/metering/call-recorder.ts';
import type { BusyJob, BusyResult } from './busy-space-job.ts';
import { endWithParent } from './child-process.ts';
import { callOf } from './commit-call.ts';

endWithParent();
const [url = '', folder = ''] = process.argv.slice(2);
const db = await openDatabase({ url, folder, clock: systemClock });
process.on('message', (job: BusyJob) => void run(job).then((result) => process.send?.(result)));
process.send?.('open');

async function run({ caller, callers, windowMs }: BusyJob): Promise<BusyResult> {
  const waitsMs: number[] = [];
  const commitsMs: number[] = [];
  const recorder = new CallRecorder({
    ...{ db, clock: systemClock },
    onGroup: ({ durationMs }) => void commitsMs.push(durationMs),
  });
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const call = async (): Promise<void> => {
    while (performance.now() - startMs < windowMs) {
      const endedMs = performance.now();
      await recorder.record(callOf(caller));
      waitsMs.push(performance.now() - endedMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  const { user, system } = process.cpuUsage(cpuBefore);
  waitsMs.sort((a, b) => a - b);
  return {
    calls: waitsMs.length,
    commits: commitsMs.length,
    elapsedMs: performance.now() - startMs,
    cpuUs: user + system,
    p50Ms: waitsMs[Math.floor(waitsMs.length * 0.5)] ?? 0,
    p99Ms: waitsMs[Math.floor(waitsMs.length * 0.99)] ?? 0,
  };
}
