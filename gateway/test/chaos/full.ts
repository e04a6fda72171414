/**
 * The full form of the chaos tests: `node test/chaos/full.ts`, or with TOLLGATE_CHAOS_ROUNDS kills per engine
 * and TOLLGATE_CHAOS_CALLS calls on PostgreSQL; TOLLGATE_BATCHES batches with TOLLGATE_BATCH_KILLS
 * kills, TOLLGATE_VIDEOS videos with TOLLGATE_VIDEO_KILLS, and TOLLGATE_BREAKER_ROUNDS rounds of failing calls;
 * TOLLGATE_FREEZES rounds of trouble on the way to the database, TOLLGATE_EARLY_CANCELS batches that are cancelled
 * early, TOLLGATE_LOCK_PAIRS pairs of transactions, TOLLGATE_RESTARTS restarts behind proxies;
 * TOLLGATE_ATTACKS waves of one space against another; TOLLGATE_STOPS stops of the database of TOLLGATE_STOP_MS, large
 * responses of TOLLGATE_LARGE_BYTES, and every TOLLGATE_FAULT_STEP-th statement of a batch that fails;
 * TOLLGATE_LEFT_KILLS kills while calls that were left are counted, TOLLGATE_UNREAD_ROUNDS rounds of three downloads that
 * nobody reads, TOLLGATE_GREEDY_ROUNDS rounds of a space that fills the memory for running answers,
 * TOLLGATE_FROZEN_SESSIONS connections that freeze while they open or ask about others, and TOLLGATE_LIMIT_CALLS calls of a
 * space with hard limits through three processes with TOLLGATE_LIMIT_KILLS kills, and TOLLGATE_PURSE_HISTORIES random histories
 * of processes and limits of each kind.
 */
import { startVitest } from 'vitest/node';

process.env.TOLLGATE_CHAOS_ROUNDS ??= '20';
process.env.TOLLGATE_CHAOS_CALLS ??= '10000';
process.env.TOLLGATE_BATCHES ??= '50';
process.env.TOLLGATE_BATCH_KILLS ??= '100';
process.env.TOLLGATE_VIDEOS ??= '30';
process.env.TOLLGATE_VIDEO_KILLS ??= '50';
process.env.TOLLGATE_BREAKER_ROUNDS ??= '60';
process.env.TOLLGATE_FREEZES ??= '50';
process.env.TOLLGATE_EARLY_CANCELS ??= '80';
process.env.TOLLGATE_LOCK_PAIRS ??= '10000';
process.env.TOLLGATE_RESTARTS ??= '50';
process.env.TOLLGATE_ATTACKS ??= '100';
process.env.TOLLGATE_STOPS ??= '12';
process.env.TOLLGATE_STOP_MS ??= '4000';
process.env.TOLLGATE_LARGE_BYTES ??= '4000000';
process.env.TOLLGATE_FAULT_STEP ??= '1';
process.env.TOLLGATE_LEFT_KILLS ??= '10';
process.env.TOLLGATE_UNREAD_ROUNDS ??= '50';
process.env.TOLLGATE_GREEDY_ROUNDS ??= '10';
process.env.TOLLGATE_FROZEN_SESSIONS ??= '20';
process.env.TOLLGATE_LIMIT_CALLS ??= '10000';
process.env.TOLLGATE_LIMIT_KILLS ??= '50';
process.env.TOLLGATE_PURSE_HISTORIES ??= '60';
const tests = [
  'test/database/chaos.test.ts',
  'test/database/chaos-journal.long.test.ts',
  'test/batches/batch-chaos.long.test.ts',
  'test/batches/provider-batches-killed.long.test.ts',
  'test/videos/video-chaos.long.test.ts',
  'test/upstream/route-neighbours.test.ts',
  'test/neighbours/neighbours-books.test.ts',
  'test/database/database-frozen-rounds.long.test.ts',
  'test/batches/batches-cancelled.long.test.ts',
  'test/database/lock-order.long.test.ts',
  'test/serve/rolling-restarts.long.test.ts',
  'test/kept-responses/keeping-stopped.long.test.ts',
  'test/database/every-fault.long.test.ts',
  'test/money/left-calls-killed.long.test.ts',
  'test/money/hard-limits-killed.long.test.ts',
  'test/money/purse-histories.test.ts',
  'test/neighbours/open-downloads.test.ts',
  'test/neighbours/repeats-of-neighbours.long.test.ts',
  'test/database/database-frozen.long.test.ts',
];
const vitest = await startVitest('test', tests, { watch: false });
await vitest.close();
