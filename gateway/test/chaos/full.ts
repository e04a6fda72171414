/**
 * The full form of the chaos test: `node test/chaos/full.ts`, or with TOLLGATE_CHAOS_ROUNDS kills per engine
 * and TOLLGATE_CHAOS_CALLS calls on PostgreSQL.
 */
import { startVitest } from 'vitest/node';

process.env.TOLLGATE_CHAOS_ROUNDS ??= '20';
process.env.TOLLGATE_CHAOS_CALLS ??= '10000';
const vitest = await startVitest('test', ['test/chaos.test.ts'], { watch: false });
await vitest.close();
