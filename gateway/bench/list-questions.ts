/** Every list that is measured, with and without filters, from the beginning and from the middle. */
import type { Database } from '../src/database/database.ts';
import type { Cursor, Page } from '../src/database/page.ts';
import { sql } from '../src/database/sql.ts';
import { DAY_MS } from '../src/kernel/durations.ts';
import { type Month, monthOf } from '../src/kernel/time.ts';
import { parseUnits } from '../src/kernel/units.ts';
import { readDimensionsInUse } from '../src/reports/attributed-usage.store.ts';
import { readAuditPage } from '../src/reports/lists/audit-page.store.ts';
import { readBatchPage } from '../src/reports/lists/batch-page.store.ts';
import { readJobPage } from '../src/reports/lists/job-page.store.ts';
import { readEntryPage, readGrantPage, readInvoicePage } from '../src/reports/lists/journal-page.store.ts';
import { readKeyPage } from '../src/reports/lists/key-page.store.ts';
import { readMediaPage, readReferencePage } from '../src/reports/lists/media-page.store.ts';
import { readMemberPage } from '../src/reports/lists/member-page.store.ts';
import { readPersonPage } from '../src/reports/lists/person-page.store.ts';
import { readBuildPage, readProjectPage } from '../src/reports/lists/project-page.store.ts';
import { type RequestFilters, readRequestPage } from '../src/reports/lists/request-page.store.ts';
import { readSpacePage } from '../src/reports/lists/space-page.store.ts';
import { readKeyUsagePage } from '../src/reports/lists/usage-page.store.ts';
import { balanceRecord } from '../src/reports/platform-reports.ts';
import { monthStatement } from '../src/reports/statement.ts';
import { dailyUsage, usageBreakdown } from '../src/reports/usage-breakdown.ts';
import { readMonthSummary } from '../src/reports/usage-days.store.ts';
import { readMonthTotals } from '../src/reports/usage-report.store.ts';
import { usageReport } from '../src/reports/usage-report.ts';
import { organizationQuestions } from './organization-questions.ts';

export interface ListQuestion {
  readonly title: string;
  /** Returns the number of rows. */
  read(): Promise<number>;
}

const LIMIT = 50;
/** Half a year ago, which is in the middle of the rows. */
const MIDDLE_DAYS = 182;

type Read = (page: { after: Cursor | null; limit: number }) => Promise<Page<unknown>>;

export async function listQuestions(db: Database, now: number): Promise<ListQuestion[]> {
  const { spaceId, smallId, busyKey, quietKey, memberId, callId } = await findSubjects(db);
  const month = monthOf(now);
  const middle = now - MIDDLE_DAYS * DAY_MS;
  const until = { until: middle };
  const first = (title: string, read: Read): ListQuestion => ({
    title,
    read: async () => (await read({ after: null, limit: LIMIT })).rows.length,
  });
  /** Pages until the middle, once, and then the same page again and again. */
  const deep = async (title: string, read: Read, pages: number): Promise<ListQuestion> => {
    let after: Cursor | null = null;
    for (let i = 0; i < pages; i++) after = (await read({ after, limit: 500 })).next ?? after;
    return { title, read: async () => (await read({ after, limit: LIMIT })).rows.length };
  };
  const keys =
    (more: object = {}, order: 'name' | 'created' = 'name'): Read =>
    (page) =>
      readKeyPage(db, { spaceId, now, order, ...more, ...page });
  const members =
    (more: object = {}): Read =>
    (page) =>
      readMemberPage(db, { spaceId, now, ...more, ...page });
  const requests =
    (more: RequestFilters = {}, of = spaceId): Read =>
    (page) =>
      readRequestPage(db, { spaceId: of, ...more, ...page });
  const audit =
    (more: object = {}, of: string | null = spaceId): Read =>
    (page) =>
      readAuditPage(db, { spaceId: of, ...more, ...page });
  const batches =
    (more: object = {}, of: string | null = spaceId): Read =>
    (page) =>
      readBatchPage(db, { spaceId: of, ...more, ...page });
  const entries =
    (more: object = {}): Read =>
    (page) =>
      readEntryPage(db, { spaceId, ...more, ...page });
  const spaces: Read = (page) => readSpacePage(db, { now, ...page });
  const usage: Read = (page) => readKeyUsagePage(db, { spaceId, month, ...page });
  const [owner] = [memberId];
  return [
    first('keys', keys()),
    await deep('keys, deep', keys(), 9),
    first('keys, newest first', keys({}, 'created')),
    first('keys, by the beginning of the name', keys({ search: 'KEY-AB' })),
    first('keys, expired', keys({ state: 'expired' })),
    first('keys, revoked', keys({ state: 'revoked' })),
    first('keys, shared', keys({ kind: 'shared' })),
    first('keys of a member', keys({ memberId })),
    first('members', members()),
    await deep('members, deep', members(), 1),
    first('members, by a part of the name', members({ search: 'son-77' })),
    first('members, administrators', members({ role: 'admin' })),
    first('requests', requests()),
    first('requests, deep', requests(until)),
    first('requests of a small space', requests({}, smallId)),
    first('requests, completed', requests({ status: 'completed' })),
    first('requests, failed', requests({ status: 'failed' })),
    first('requests, failed, deep', requests({ status: 'failed', ...until })),
    first('requests, rejected', requests({ status: 'rejected' })),
    first('requests of a busy key', requests({ keyId: busyKey })),
    first('requests of a busy key, deep', requests({ keyId: busyKey, ...until })),
    first('requests of a busy key, failed', requests({ keyId: busyKey, status: 'failed' })),
    first('requests of a quiet key', requests({ keyId: quietKey })),
    first('requests of a member', requests({ memberId })),
    first('requests of a member, deep', requests({ memberId, ...until })),
    first('requests of a member, one model', requests({ memberId, model: 'model-3' })),
    first('requests, a model', requests({ model: 'model-3' })),
    first('requests, a model that does not occur', requests({ model: 'model-none' })),
    first('requests, a model that does not occur, deep', requests({ model: 'model-none', ...until })),
    first('requests, endpoint images', requests({ endpoint: 'images' })),
    first('requests, a minimum cost that is rare', requests({ minCost: parseUnits('5') })),
    first('requests, one hour half a year ago', requests({ from: middle - 3_600_000, until: middle })),
    first('requests, an exact id', requests({ id: callId })),
    first('batches', batches()),
    await deep('batches, deep', batches(), 18),
    first('batches of a model', batches({ model: 'model-3' })),
    first('batches of an owner', batches({ owner })),
    first('batches, failed (none)', batches({ status: 'failed' })),
    first('batches of all spaces, quarantined', batches({ settlement: 'quarantined' }, null)),
    first('jobs', (page) => readJobPage(db, { spaceId, ...page })),
    first('jobs, failed', (page) => readJobPage(db, { spaceId, status: 'failed', ...page })),
    first('jobs of an owner', (page) => readJobPage(db, { spaceId, owner, ...page })),
    first('references', (page) => readReferencePage(db, { spaceId, now, ...page })),
    first('references, videos', (page) => readReferencePage(db, { spaceId, now, kind: 'video', ...page })),
    first('references of an owner', (page) => readReferencePage(db, { spaceId, now, owner, ...page })),
    first('media', (page) => readMediaPage(db, { spaceId, now, ...page })),
    first('media of an owner', (page) => readMediaPage(db, { spaceId, now, owner, ...page })),
    first('audit', audit()),
    first('audit, deep', audit(until)),
    first('audit of all spaces', audit({}, null)),
    first('audit, an actor', audit({ actor: 'person-7@example.com' })),
    first('audit, actions of keys', audit({ action: 'keys.' })),
    first('audit, a subject that does not occur', audit({ subject: 'none' })),
    first('journal', entries()),
    first('journal, deep', entries(until)),
    first('journal, grants', entries({ kind: 'grant' })),
    first('journal, corrections (none)', entries({ kind: 'correction' })),
    first('invoices', (page) => readInvoicePage(db, { spaceId, ...page })),
    first('grants', (page) => readGrantPage(db, { spaceId, now, ...page })),
    first('grants, expired (none)', (page) => readGrantPage(db, { spaceId, now, expired: true, ...page })),
    first('projects', (page) => readProjectPage(db, { spaceId, ...page })),
    first('builds', (page) => readBuildPage(db, { projectId: 'project-1', ...page })),
    first('spaces', spaces),
    first('spaces of a person', (page) => readSpacePage(db, { now, ids: [spaceId, smallId], ...page })),
    first('people', (page) => readPersonPage(db, page)),
    first('people, operators', (page) => readPersonPage(db, { operator: true, ...page })),
    first('usage of the month by key', usage),
    await deep('usage of the month by key, deep', usage, 9),
    one('usage of the month by model', () => usageBreakdown(db, { spaceId, month, by: 'model' })),
    one('usage of the month of a member by key', () =>
      usageBreakdown(db, { spaceId, memberId, month, by: 'key' }),
    ),
    one('usage of the month by tag', () => usageBreakdown(db, { spaceId, month, by: 'tag:team' })),
    one('usage of the month by two tags', () =>
      usageBreakdown(db, { spaceId, month, by: 'tag:team', and: 'tag:feature' }),
    ),
    one('usage of the month by tag and day', () =>
      usageBreakdown(db, { spaceId, month, by: 'tag:team', and: 'day' }),
    ),
    one('tags in use in the month', () => readDimensionsInUse(db, { spaceId }, month)),
    one('usage of the month by day and model', () => dailyUsage(db, { spaceId, month })),
    one('usage of the month by day and model of a member', () =>
      dailyUsage(db, { spaceId, memberId, month }),
    ),
    ...platformQuestions(db, {
      month,
      earlier: monthOf(middle),
      now,
      spaces: { big: spaceId, small: smallId },
    }),
    ...organizationQuestions(db, { now, spaceId, busyKey }),
    one('summary of the month', () => readMonthSummary(db, spaceId, month)),
    one('statement of the month', () => monthStatement(db, { spaceId, month, now })),
    one('statement of the month half a year ago', () =>
      monthStatement(db, { spaceId, month: monthOf(middle), now }),
    ),
  ];
}

/** `GET /v1/usage` and `GET /v1/balance`. */
function platformQuestions(
  db: Database,
  of: { month: Month; earlier: Month; now: number; spaces: { big: string; small: string } },
): ListQuestion[] {
  const { month, earlier, now, spaces } = of;
  const usage = (spaceId: string, wanted: Month) => async () =>
    usageReport(wanted, await readMonthTotals(db, { spaceId }, wanted));
  return [
    one('platform usage of the month', usage(spaces.big, month)),
    one('platform usage half a year ago', usage(spaces.big, earlier)),
    one('platform usage of the month, a small space', usage(spaces.small, month)),
    one('platform balance', () => balanceRecord(db, spaces.big, now)),
    one('platform balance, a small space', () => balanceRecord(db, spaces.small, now)),
  ];
}

/** A report: its rows, or one. */
function one(title: string, read: () => Promise<object>): ListQuestion {
  return {
    title,
    read: async () => {
      const report = await read();
      if (Array.isArray(report)) return report.length;
      return 'rows' in report && Array.isArray(report.rows) ? report.rows.length : 1;
    },
  };
}

interface Subjects {
  readonly spaceId: string;
  readonly smallId: string;
  readonly busyKey: string;
  readonly quietKey: string;
  readonly memberId: string;
  readonly callId: string;
}

async function findSubjects(db: Database): Promise<Subjects> {
  const [found] = await db.query<Subjects>(sql`
    select (select id from spaces where name = 'space-0') as "spaceId",
      (select id from spaces where name = 'space-1') as "smallId",
      (select id from bench_numbers where n = 1) as "busyKey", (select id from bench_numbers where n = 17) as "quietKey",
      (select member_id from bench_numbers where n = 17) as "memberId",
      (select id from calls where space_id = (select id from spaces where name = 'space-0')
       order by id limit 1 offset 1000) as "callId"`);
  if (found === undefined) throw new Error('the database is not filled');
  return found;
}
