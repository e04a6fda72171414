/** The invented past of the demo: complete after an interruption, and true in every report. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RunningServer, serve } from '../../src/app/serve.ts';
import { batchMoves } from '../../src/batches/batch-state.ts';
import { jobStatuses } from '../../src/contract/job-statuses.ts';
import { sql } from '../../src/database/sql.ts';
import { historyDays } from '../../src/demo/demo-history.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { monthOf } from '../../src/kernel/time.ts';
import { parseUnits, printUnits, sumUnits, ZERO } from '../../src/kernel/units.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';
import { type Administer, administerAt } from '../support/gateway.ts';
import { PATIENCE, WORK_MS_MAX } from '../support/patience.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

/** In the middle of a month, and half an hour after the end of one (KST). */
const starts = { embedded: '2027-03-31T15:30:00Z', postgres: '2027-03-18T03:00:00Z' };
const SPACE = 'demo';

describe.each(engines)('the data of the demo on %s', (engine) => {
  const until = Date.parse(starts[engine]);
  const clock = shiftedClock();
  let place: TestPlace;
  let server: RunningServer;
  let admin: Administer;
  let interrupted: { filled: boolean; calls: number };

  const start = async (): Promise<RunningServer> => {
    const env = { PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'error' };
    const database = place.databaseUrl === null ? {} : { DATABASE_URL: place.databaseUrl };
    return await serve({ data: place.folder }, { ...env, ...database }, { say: () => undefined, clock });
  };
  const callCount = async (of: RunningServer): Promise<number> => {
    const [row] = await of.db.query<{ calls: number }>(sql`select count(*) as calls from calls`);
    return row?.calls ?? 0;
  };

  beforeAll(async () => {
    place = await makePlace(engine);
    clock.shift(until - clock.now());
    const first = await start();
    await vi.waitFor(async () => expect(await callCount(first)).toBeGreaterThan(400), PATIENCE);
    const calls = callCount(first);
    const stopped = calls.then(() => first.stop());
    interrupted = { calls: await calls, filled: await first.demoFilled };
    await stopped;
    server = await start();
    expect(await server.demoFilled).toBe(true);
    admin = administerAt(place.folder);
    // Two starts and a whole past, which take long on a machine with other work.
  }, WORK_MS_MAX);
  afterAll(async () => {
    await server.stop();
    await place.remove();
  });

  test('a demo that was stopped while it was filled is complete after the next start', async () => {
    expect(interrupted.filled).toBe(false);
    expect(await callCount(server)).toBeGreaterThan(interrupted.calls);
    const [created] = await server.db.query<{ until: string }>(
      sql`select after->>'past_until' as until from audit_log where actor = 'demo' and action = 'spaces.create'`,
    );
    const days = historyDays(Date.parse(created?.until ?? '')).map(({ firstCallId }) => firstCallId);
    const found = await server.db.query(sql`select id from calls where id = any (${days})`);
    expect(found).toHaveLength(days.length);
    const doubled = await server.db.query(
      sql`select space_id, name from keys group by space_id, name having count(*) > 1`,
    );
    expect(doubled).toEqual([]);
  });

  test('its books agree with the journal, with overage that was invoiced and units that expired', async () => {
    const { disagreements } = await admin('ledger.verify');
    expect(disagreements).toEqual([]);
    const kinds = await server.db.query<{ kind: string }>(
      sql`select distinct kind from journal order by kind`,
    );
    expect(kinds.map(({ kind }) => kind)).toEqual([
      ...['charge', 'correction', 'expiry', 'grant', 'invoice', 'payment'],
    ]);
    const { data } = await admin('invoices.list', { space: SPACE });
    expect(parseUnits(data[0]?.units ?? '0')).toBeGreaterThan(ZERO);
    for (const { units, at } of data) {
      const month = monthOf(Date.parse(at) - DAY_MS);
      const { closing } = await admin('statements.get', { space: SPACE, month });
      expect(closing.overage, `the invoice of ${month}`).toBe(units);
    }
  });

  test('usage crosses the end of a month (KST), and each month has its own', async () => {
    const rows = await server.db.query<{ month: string; at: number; cost: string }>(
      sql`select month, max(charged_at) as at, sum(cost) as cost from calls group by month order by month`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(2);
    expect(new Set(rows.map(({ cost }) => cost)).size).toBe(rows.length);
    for (const { month, at } of rows) expect(monthOf(at)).toBe(month);
    expect(rows.at(-1)?.month).toBe(monthOf(until));
    const [space, month] = [SPACE, rows.at(-2)?.month as string];
    const { usage, charged } = await admin('statements.get', { space, month });
    const sum = (...amounts: string[]): string => printUnits(sumUnits(amounts.map(parseUnits)));
    const { cost, corrected_elsewhere: later, corrections_of_other_months: earlier } = usage;
    expect(sum(charged, later), 'the charges of the month are its usage').toBe(sum(cost, earlier));
    const keys = await admin('usage.keys', { space, month, limit: 100 });
    expect(sum(...keys.data.map((key) => key.cost))).toBe(cost);
  });

  test('batches exist in every status, and one is quarantined', async () => {
    const rows = await server.db.query<{ status: string; settlement: string }>(
      sql`select status, settlement_status as settlement from batches`,
    );
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(Object.keys(batchMoves)));
    expect(rows.filter(({ settlement }) => settlement === 'quarantined')).toHaveLength(1);
  });

  test('keys exist in every state, one near its limit, and a member is at theirs', async () => {
    const states = ['active', 'disabled', 'expired', 'revoked'] as const;
    for (const state of states)
      expect((await admin('keys.list', { space: SPACE, state })).data, state).not.toEqual([]);
    const bot = await admin('keys.get', { space: SPACE, name: 'support-bot' });
    expect(parseUnits(bot.month_limit ?? '0')).toBeGreaterThanOrEqual(parseUnits(bot.spent));
    const { data: members } = await admin('members.list', { space: SPACE, search: 'sora' });
    expect(members[0]?.month_limit).not.toBeNull();
    expect(new Set((await admin('members.list', { space: SPACE })).data.map(({ role }) => role)).size).toBe(
      2,
    );
  });

  test('videos have ended in every way, and those that succeeded can be downloaded', async () => {
    const { data: jobs } = await admin('jobs.list', { space: SPACE });
    const ended = jobStatuses.filter((status) => status !== 'queued' && status !== 'in_progress');
    expect(new Set(jobs.map(({ status }) => status))).toEqual(new Set(ended));
    const media = await server.db.query<{ id: string; status: string; seconds: string }>(
      sql`select id, status, duration_seconds as seconds from media order by id`,
    );
    expect(media.length).toBeGreaterThan(2);
    for (const { status, seconds } of media) expect([status, Number(seconds) > 0]).toEqual(['ready', true]);
    expect(await server.db.query(sql`select id from reference_files`)).toHaveLength(3);
  });

  test('an outage, rejected requests and calls of unknown cost are in the list of requests', async () => {
    const rejected = await admin('requests.list', { space: SPACE, status: 'rejected' });
    const failed = await admin('requests.list', { space: SPACE, status: 'failed', limit: 100 });
    expect(rejected.data).not.toEqual([]);
    const outage = failed.data.filter(({ model, attempts }) => model === 'sim-claude' && (attempts ?? 0) > 1);
    expect(outage.length).toBeGreaterThan(20);
    const preview = await admin('requests.list', { space: SPACE, model: 'sim-preview', limit: 100 });
    const costs = preview.data.map(({ cost }) => cost);
    expect(costs.filter((cost) => cost !== null)).toEqual(['0.0125']);
    expect(costs.filter((cost) => cost === null).length).toBeGreaterThan(10);
  });

  test('the console can know that it is a demo, and the audit log says who invented the data', async () => {
    expect(await admin('installation.version')).toMatchObject({ demo: true });
    const { data } = await admin('audit.list', { space: SPACE, action: 'demo.fill' });
    expect(data).toMatchObject([{ actor: 'demo', subject: SPACE }]);
  });
});
