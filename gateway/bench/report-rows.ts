/**
 * A year of calls, made inside the database: as many rows of calls as wanted, with the entries, totals and
 * balances that charging them would have left, so that the books agree.
 */
import { shellActor } from '../src/access/actor.ts';
import { runOperation } from '../src/administration/operations.ts';
import type { Database } from '../src/database/database.ts';
import { sql } from '../src/database/sql.ts';
import { DAY_MS } from '../src/kernel/durations.ts';
import { monthOf, monthStart, systemClock } from '../src/kernel/time.ts';

export const SPACES = 50;
export const KEYS = 200;
export const MODELS = 20;
export const MONTHS = 12;
/** The first space has every other call, and so many keys. */
const BIG_KEYS = 100;
/** What one commit of a busy gateway charges, over all spaces. */
const GROUP_CALLS = 1_600;
const CHUNK_CALLS = 125 * GROUP_CALLS;
const GRANT = '1000000';
/** Some day of the month that is so many months ago. */
const ELEVEN_MONTHS_DAYS = 325;
const HALF_A_YEAR_DAYS = 180;

export interface ReportKeys {
  /** Management keys of the space with half of all calls, and of one of the others. */
  readonly big: string;
  readonly small: string;
  /** The newest month, and one in the middle. */
  readonly months: readonly [string, string];
}

export async function makeYear(
  db: Database,
  calls: number,
  say: (line: string) => void,
): Promise<ReportKeys> {
  const chunks = Math.max(1, Math.round(calls / CHUNK_CALLS));
  const keys = await makeSpaces(db);
  const now = systemClock.now();
  const newest = monthOf(now);
  const startMs = monthStart(monthOf(monthStart(newest) - ELEVEN_MONTHS_DAYS * DAY_MS));
  const stepUs = Math.floor(((now - startMs) * 1_000) / (chunks * CHUNK_CALLS));
  for (let chunk = 0; chunk < chunks; chunk++) {
    await insertCalls(db, { from: chunk * CHUNK_CALLS, startMs, stepUs });
    say(`${((chunk + 1) * CHUNK_CALLS).toLocaleString('en')} calls`);
  }
  await settle(db);
  return { ...keys, months: [newest, monthOf(now - HALF_A_YEAR_DAYS * DAY_MS)] };
}

async function makeSpaces(db: Database): Promise<{ big: string; small: string }> {
  const context = { db, clock: systemClock, actor: shellActor('bench') };
  const management: string[] = [];
  for (let space = 0; space < SPACES; space++) {
    const name = `space-${space}`;
    await runOperation(context, 'spaces.create', { name, overage: true });
    await runOperation(context, 'grants.add', { space: name, amount: GRANT, kind: 'paid' });
    const reports = { space: name, name: 'reports', kind: 'management' } as const;
    management.push((await runOperation(context, 'keys.create', reports)).key);
  }
  for (let key = 0; key < KEYS; key++) {
    const space = key < BIG_KEYS ? 0 : 1 + ((key - BIG_KEYS) % (SPACES - 1));
    await runOperation(context, 'keys.create', {
      space: `space-${space}`,
      name: `key-${key}`,
      kind: 'shared',
    });
  }
  return { big: management[0] ?? '', small: management[1] ?? '' };
}

async function insertCalls(
  db: Database,
  { from, startMs, stepUs }: { from: number; startMs: number; stepUs: number },
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.script('set local synchronous_commit = off');
    await tx.query(sql`
      with drawn as (
        select n, case when n % 2 = 0 then (n / 2) % ${BIG_KEYS} else ${BIG_KEYS} + (n / 2) % ${KEYS - BIG_KEYS} end as key,
          ((n % 997) + 1) * 0.000000000137 as cost,
          to_timestamp(${startMs / 1000}::float8) + n * ${stepUs} * interval '1 microsecond' as at
        from generate_series(${from}::bigint, ${from + CHUNK_CALLS - 1}::bigint) as n
      ), fresh as (
        insert into calls (id, space_id, key_id, endpoint, model, provider, upstream_model, streamed, outcome,
          finish_reason, usage_source, input_tokens, cached_input_tokens, cache_write_tokens, output_tokens,
          reasoning_tokens, price_version, cost, charge_lines, attempts, started_at, first_byte_ms, duration_ms,
          charged_at, month, entry_id)
        select 'req_' || lpad(d.n::text, 26, '0'), k.space_id, k.id, 'chat', 'model-' || (d.n * 7 + d.n / 13) % ${MODELS},
          'upstream', 'model', d.n % 3 = 0, 'completed', 'stop', 'provider', 550, 0, 0, 120, 0, 'bench-1', d.cost,
          json_build_array(json_build_object('component', 'output', 'count', 120, 'price', '1', 'amount', d.cost::text)),
          1, d.at, 200, 900, d.at, to_char((d.at at time zone 'UTC') + interval '9 hours', 'YYYY-MM'),
          1000 + (d.n / ${GROUP_CALLS}) * ${SPACES} + substr(s.name, 7)::bigint
        from drawn d join keys k on k.name = 'key-' || d.key join spaces s on s.id = k.space_id
        returning entry_id, space_id, key_id, model, month, cost, charged_at
      ), months as (
        insert into month_parts as t (space_id, month, key_id, model, requests, unpriced, cost)
        select space_id, month, key_id, model, count(*), 0, sum(cost) from fresh group by 1, 2, 3, 4
        on conflict (space_id, month, key_id, model, writer) do update set
          requests = t.requests + excluded.requests, cost = t.cost + excluded.cost
      ), days as (
        insert into day_parts as t (space_id, day, model, requests, unpriced, cost)
        select space_id, korean_day(charged_at), model, count(*), 0, sum(cost) from fresh group by 1, 2, 3
        on conflict (space_id, day, model, writer) do update set
          requests = t.requests + excluded.requests, cost = t.cost + excluded.cost
      )
      insert into journal (id, space_id, kind, ref, paid, spent, grant_ids, grant_parts, at)
      select f.entry_id, f.space_id, 'charge', 'calls', -sum(f.cost), sum(f.cost), array[min(g.id)], array[-sum(f.cost)],
        max(f.charged_at)
      from fresh f join grants g on g.space_id = f.space_id group by 1, 2`);
  });
}

/** The grants hold what the entries left of them, and the planner knows what there is. */
async function settle(db: Database): Promise<void> {
  await db.query(sql`
    update grants set remaining = amount - taken.units
    from (select space_id, sum(spent) as units from journal group by 1) taken where taken.space_id = grants.space_id`);
  await db.query(sql`select setval('journal_id_seq', (select max(id) from journal))`);
  await db.query(sql`vacuum (analyze)`);
}
