/** Reports: usage, balance, and the explanation of a request. */
import { monthOf } from '../kernel/time.ts';
import { explainToActor } from '../reports/explain.ts';
import { balanceRecord } from '../reports/platform-reports.ts';
import { usageBreakdown } from '../reports/usage-breakdown.ts';
import { read } from './operation.ts';

const usage = read('reports.usage', async ({ db, now, space }, { month = monthOf(now), by }) => ({
  space: space.name,
  ...(await usageBreakdown(db, { spaceId: space.id, month, by })),
}));

const balance = read('reports.balance', async ({ db, now, space }) => ({
  space: space.name,
  ...(await balanceRecord(db, space.id, now)),
}));

const why = read('why', ({ db, actor }, { ref }) => explainToActor(db, actor, ref));

export const reportOperations = [usage, balance, why] as const;
