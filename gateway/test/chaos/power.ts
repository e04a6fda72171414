/**
 * The full form of the tests of power cuts: TOLLGATE_POWER_SEEDS histories on a disk in memory, TOLLGATE_CHAOS_ROUNDS
 * kills of a server on the embedded engine, and as many of two servers with journals on PostgreSQL.
 */
import { startVitest } from 'vitest/node';

process.env.TOLLGATE_POWER_SEEDS ??= '10000';
process.env.TOLLGATE_CHAOS_ROUNDS ??= '200';
const cuts = await startVitest('test', ['test/database/power-cuts.test.ts'], { watch: false });
await cuts.close();
const chaos = ['test/database/chaos.test.ts', 'test/database/chaos-journal.long.test.ts'];
const kills = await startVitest('test', chaos, {
  watch: false,
  testNamePattern: 'kill -9 on (embedded|postgres with a journal)',
});
await kills.close();
