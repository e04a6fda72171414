/**
 * The long form of the fault tests: `node test/faults/full.ts`. Each fault lasts TOLLGATE_OUTAGE_MS (30 s); all of them
 * take about nine minutes. One line for each says what callers got and what was recorded.
 * Commands that write and restore backups are killed at more moments than in the suite.
 */
import { startVitest } from 'vitest/node';

process.env.TOLLGATE_OUTAGE_MS ??= '30000';
const tests = [
  'test/faults/database-faults.long.test.ts',
  'test/faults/service-faults.long.test.ts',
  'test/maintenance/killed-backup.long.test.ts',
];
// One after the other, so that they measure the faults and not each other.
const vitest = await startVitest('test', tests, { watch: false, maxWorkers: 1, fileParallelism: false });
await vitest.close();
