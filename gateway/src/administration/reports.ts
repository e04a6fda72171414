/** Reports: usage and balance, the state of a space at a glance, the audit log. */
import { Problem } from '../kernel/problem.ts';
import { monthOf, monthStart } from '../kernel/time.ts';
import { worthOf } from '../kernel/unit-value.ts';
import { parseUnits, printUnits, sumUnits } from '../kernel/units.ts';
import { readDimensionsInUse } from '../reports/attributed-usage.store.ts';
import { readAuditLine, readAuditPage } from '../reports/lists/audit-page.store.ts';
import { readRequestPage } from '../reports/lists/request-page.store.ts';
import { readKeyUsagePage } from '../reports/lists/usage-page.store.ts';
import { balanceRecord } from '../reports/platform-reports.ts';
import { type DailyUsageRow, dailyUsage, usageBreakdown } from '../reports/usage-breakdown.ts';
import { readMonthSummary } from '../reports/usage-days.store.ts';
import { read } from './operation.ts';
import { answeredPage, shownRow, wantedPage } from './page.ts';
import { readRange } from './read-input.ts';
import { spaceAsListed } from './spaces.ts';

const ERRORS_SHOWN = 5;

/** A member sees what their own keys used. */
const usage = read('reports.usage', async (tools, { month = monthOf(tools.now), by, and }) => {
  const { db, space, own, rate } = tools;
  const used = await usageBreakdown(db, { spaceId: space.id, memberId: own?.memberId, month, by, and });
  return { space: space.name, ...used, worth: worthOf(used.total.cost, await rate(monthStart(month))) };
});

const days = read('usage.days', async ({ db, now, space, own }, { month = monthOf(now) }) => ({
  month,
  rows: await dailyUsage(db, { spaceId: space.id, memberId: own?.memberId, month }),
}));

const dimensions = read('usage.dimensions', async ({ db, now, space, own }, { month = monthOf(now) }) => ({
  month,
  dimensions: await readDimensionsInUse(db, { spaceId: space.id, memberId: own?.memberId }, month),
}));

const keys = read('usage.keys', async ({ db, now, space, own }, input) => {
  const { month = monthOf(now) } = input;
  const of = { spaceId: space.id, memberId: own?.memberId, month, ...wantedPage(input) };
  return answeredPage(await readKeyUsagePage(db, of), shownRow);
});

const balance = read('reports.balance', async ({ db, now, space, rate }) => {
  const record = await balanceRecord(db, space.id, now);
  return { space: space.name, ...record, worth: worthOf(record.held.total, await rate(now)) };
});

const overview = read('spaces.overview', async ({ db, now, space, own, actor, rate }) => {
  const month = monthOf(now);
  const scope = { spaceId: space.id, memberId: own?.memberId };
  const used = await dailyUsage(db, { ...scope, month });
  const total = totalOf(used);
  const summary = own === null ? await readMonthSummary(db, space.id, month) : null;
  const errors = await Promise.all(
    (['failed', 'rejected'] as const).map((status) =>
      readRequestPage(db, { ...scope, status, limit: ERRORS_SHOWN, after: null }),
    ),
  );
  const newest = errors.flatMap(({ rows }) => rows).toSorted((a, b) => (a.id < b.id ? 1 : -1));
  return {
    space: await spaceAsListed(db, { space, now, actor }),
    month: {
      month,
      ...total,
      active_keys: summary?.activeKeys ?? null,
      worth: worthOf(total.cost, await rate(monthStart(month))),
    },
    days: [...Map.groupBy(used, ({ day }) => day)].map(([day, rows]) => {
      const { requests, cost } = totalOf(rows);
      return { day, requests, cost };
    }),
    last_errors: newest.slice(0, ERRORS_SHOWN).map(shownRow),
  };
});

const audit = read('audit.list', async ({ db, space }, input) => {
  const { actor, action, subject } = input;
  const of = { spaceId: space.id, actor, action, subject, ...readRange(input), ...wantedPage(input) };
  return answeredPage(await readAuditPage(db, of), shownRow);
});

const auditLine = read('audit.get', async ({ db, space }, { line }) => {
  const found = await readAuditLine(db, { id: Number(line), spaceId: space.id });
  if (found === null) throw noLine(line, `the audit log of ${space.name}`);
  return shownRow(found);
});

const auditOfAll = read('audit.all', async ({ db }, input) => {
  const { actor, action, subject } = input;
  const of = { spaceId: null, actor, action, subject, ...readRange(input), ...wantedPage(input) };
  return answeredPage(await readAuditPage(db, of), shownRow);
});

const auditLineOfAll = read('audit.getAny', async ({ db }, { line }) => {
  const found = await readAuditLine(db, { id: Number(line), spaceId: null });
  if (found === null) throw noLine(line, 'the audit log');
  return shownRow(found);
});

export const reportOperations = [
  usage,
  days,
  dimensions,
  keys,
  balance,
  overview,
  audit,
  auditLine,
  auditOfAll,
  auditLineOfAll,
] as const;

function noLine(line: string, log: string): Problem {
  return new Problem('not_found', { detail: `There is no line ${line} in ${log}.`, param: 'line' });
}

function totalOf(rows: readonly DailyUsageRow[]) {
  return {
    requests: rows.reduce((sum, row) => sum + row.requests, 0),
    unpriced: rows.reduce((sum, row) => sum + row.unpriced, 0),
    cost: printUnits(sumUnits(rows.map(({ cost }) => parseUnits(cost)))),
  };
}
