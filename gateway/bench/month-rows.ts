/**
 * One calendar month (KST) of calls, made inside the database: a large space, then smaller ones beside it, with the
 * entries, totals and balances that charging them would have left. One call in a thousand is unpriced, one failed, and
 * some were corrected.
 */
import { shellActor } from '../src/access/actor.ts';
import { runOperation } from '../src/administration/operations.ts';
import type { Database } from '../src/database/database.ts';
import { LONGEST_ANSWER_MS } from '../src/database/deadlines.ts';
import { type Sql, sql, within } from '../src/database/sql.ts';
import { type Month, monthStart, nextMonth, systemClock } from '../src/kernel/time.ts';
import { makeIdFunction } from './list-rows.ts';
import { totalsOfFresh } from './total-rows.ts';

export const SPACES = 50;
export const BIG_KEYS = 200;
/** Of each other space. */
const SMALL_KEYS = 4;
export const MODELS = 20;
/** Each key uses so many of them. */
const MODELS_OF_KEY = 4;
/** What one commit charges. */
const GROUP_CALLS = 64;
const CHUNK_CALLS = 4_000 * GROUP_CALLS;
const CORRECTED = 1_000;
const GRANT = '1000000';

export interface MonthOfCalls {
  readonly month: Month;
  readonly calls: number;
  /** `big`: all of the first space. `small`: of the others. */
  readonly where: 'big' | 'small';
}

export async function makeMonthSpaces(db: Database): Promise<void> {
  const context = { db, clock: systemClock, actor: shellActor('bench') };
  await makeIdFunction(db);
  for (let space = 0; space < SPACES; space++) {
    const name = `space-${space}`;
    await runOperation(context, 'spaces.create', { name, overage: true });
    await runOperation(context, 'grants.add', { space: name, amount: GRANT, kind: 'paid' });
    for (let key = 0; key < (space === 0 ? BIG_KEYS : SMALL_KEYS); key++)
      await runOperation(context, 'keys.create', { space: name, name: `key-${key}`, kind: 'shared' });
  }
  await db.query(sql`create table bench_keys as
    select k.id, k.space_id, s.name = 'space-0' as big,
      row_number() over (partition by s.name = 'space-0' order by k.id) - 1 as n
    from keys k join spaces s on s.id = k.space_id`);
}

export async function addMonthOfCalls(
  db: Database,
  { month, calls, where }: MonthOfCalls,
  say: (line: string) => void,
): Promise<void> {
  const startMs = monthStart(month);
  const stepMs = (monthStart(nextMonth(month)) - startMs) / calls;
  for (let from = 0; from < calls; from += CHUNK_CALLS) {
    const until = Math.min(from + CHUNK_CALLS, calls);
    await insertCalls(db, { from, until, startMs, stepMs, month, big: where === 'big' });
    say(`${until.toLocaleString('en')} calls`);
  }
  const run = async (statement: Sql): Promise<void> =>
    void (await db.query(within(LONGEST_ANSWER_MS, statement)));
  await run(sql`
    update grants set remaining = amount - taken.units
    from (select space_id, sum(spent) as units from journal where kind = 'charge' group by 1) taken
    where taken.space_id = grants.space_id`);
  await run(sql`select setval('journal_id_seq', (select max(id) from journal))`);
  await run(sql`vacuum (analyze)`);
}

/** Some calls of the first space get another cost, in the month after it. */
export async function correctSome(db: Database, month: Month): Promise<void> {
  const context = { db, clock: systemClock, actor: shellActor('bench') };
  const calls = await db.query<{ id: string }>(sql`
    select c.id from calls c join spaces s on s.id = c.space_id
    where s.name = 'space-0' and c.month = ${month} and c.cost > 0 order by c.id limit ${CORRECTED}`);
  for (const { id } of calls)
    await runOperation(context, 'ledger.correct', { call: id, amount: '0.01', note: 'bench' });
}

async function insertCalls(
  db: Database,
  of: { from: number; until: number; startMs: number; stepMs: number; month: Month; big: boolean },
): Promise<void> {
  const { from, until, startMs, stepMs, month, big } = of;
  const offset = big ? 0 : 1_000_000_000;
  await db.transaction(
    async (tx) => {
      await tx.script('set local synchronous_commit = off');
      await tx.query(sql`
        with many as (select count(*) as keys from bench_keys where big = ${big}
        ), drawn as (
          select n, (n * 7919) % many.keys as key, (${startMs}::float8 + n * ${stepMs}::float8)::bigint as ms,
            case when n % 1000 = 7 then 'failed' else 'completed' end as outcome,
            case when n % 1000 = 7 or n % 1000 = 4 then null else ((n % 997) + 1) * 0.000000137 end as cost
          from generate_series(${from}::bigint, ${until - 1}::bigint) as n, many
        ), fresh as (
          insert into calls (id, space_id, key_id, endpoint, model, provider, upstream_model, streamed, outcome,
            problem, finish_reason, usage_source, input_tokens, cached_input_tokens, cache_write_tokens, output_tokens,
            reasoning_tokens, price_version, cost, charge_lines, attempts, started_at, first_byte_ms, duration_ms,
            charged_at, month, entry_id, provider_cost, provider_currency, provider_price_version)
          select bench_id('req', d.ms, d.n + ${offset}), k.space_id, k.id, 'chat',
            'model-' || (k.n * ${MODELS_OF_KEY} + (d.n / 1009) % ${MODELS_OF_KEY}) % ${MODELS}, 'upstream', 'model',
            d.n % 3 = 0, d.outcome, case d.outcome when 'failed' then 'provider_error' end, 'stop', 'provider', 550, 0, 0,
            120, 0, 'bench-1', d.cost,
            json_build_array(json_build_object('component', 'output', 'count', 120, 'price', '1', 'amount', d.cost::text)),
            1, to_timestamp(d.ms / 1000.0), 200, 900, to_timestamp(d.ms / 1000.0), ${month},
            case when d.cost > 0 then 1000 + ${offset} + (d.n / ${GROUP_CALLS}) * ${SPACES} + substr(s.name, 7)::bigint end,
            case when d.n % 500 > 0 then d.cost * 0.8 end, case when d.n % 500 > 0 and d.cost > 0 then 'USD' end, 'bill-1'
          from drawn d join bench_keys k on k.big = ${big} and k.n = d.key join spaces s on s.id = k.space_id
          returning entry_id, space_id, key_id, model, month, outcome, cost, charged_at
        ), ${totalsOfFresh}
        insert into journal (id, space_id, kind, ref, paid, spent, grant_ids, grant_parts, at)
        select f.entry_id, f.space_id, 'charge', 'calls', -sum(f.cost), sum(f.cost), array[min(g.id)],
          array[-sum(f.cost)], max(f.charged_at)
        from fresh f join grants g on g.space_id = f.space_id where f.entry_id is not null group by 1, 2`);
    },
    { timeoutMs: LONGEST_ANSWER_MS },
  );
}
