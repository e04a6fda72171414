/** One gateway process as far as commits are concerned: its connections, its recorder, and the settlement of its calls. */
import { openDatabase } from '../src/database/open-database.ts';
import { systemClock } from '../src/kernel/time.ts';
import { Settler } from '../src/ledger/settler.ts';
import { CallRecorder } from '../src/metering/call-recorder.ts';
import { OwnProcess } from '../src/processes/own-process.ts';
import { endWithParent } from './child-process.ts';
import { type Caller, callOf } from './commit-call.ts';
import type { CommitJob, CommitResult } from './commit-job.ts';

endWithParent();
const clock = systemClock;
const [url = '', folder = ''] = process.argv.slice(2);
const db = await openDatabase({ url, folder, clock });
const own = new OwnProcess({ db, clock, version: 'bench', roles: 'bench', journal: false });
const settler = new Settler({ db, clock });
await own.start();
await settler.start();
let alive = 1;
const committing = { writers: own.writers, writer: (place: number) => own.writer(place) };
process.on('message', (job: CommitJob | 'stop') => void answer(job).then((result) => process.send?.(result)));
process.send?.('open');

async function answer(job: CommitJob | 'stop'): Promise<CommitResult | 'stopped'> {
  if (job !== 'stop') return await run(job);
  await settler.stop();
  await own.stop();
  return 'stopped';
}

async function run({ callers, concurrent, processes, windowMs }: CommitJob): Promise<CommitResult> {
  alive = processes;
  const waitsMs: number[] = [];
  let commits = 0;
  const recorder = new CallRecorder({
    db,
    clock,
    onCharged: (spaces) => settler.charged(spaces),
    onGroup: () => void commits++,
    process: { ...committing, alive: () => alive },
  });
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  let next = Math.floor(Math.random() * callers.length);
  const loop = async (): Promise<void> => {
    while (performance.now() - startMs < windowMs) {
      const endedMs = performance.now();
      await recorder.record(callOf(callers[next++ % callers.length] as Caller));
      waitsMs.push(performance.now() - endedMs);
    }
  };
  await Promise.all(Array.from({ length: concurrent }, loop));
  const { user, system } = process.cpuUsage(cpuBefore);
  waitsMs.sort((a, b) => a - b);
  return {
    calls: waitsMs.length,
    commits,
    elapsedMs: performance.now() - startMs,
    cpuUs: user + system,
    p50Ms: waitsMs[Math.floor(waitsMs.length * 0.5)] ?? 0,
    p99Ms: waitsMs[Math.floor(waitsMs.length * 0.99)] ?? 0,
  };
}
