/**
 * Rows for the benchmark of lists, made inside the database: 10,000 keys, 1,000 members, as many calls as wanted over a
 * year, and what belongs to them. The first space has nine tenths of everything. The balances follow from the journal.
 */
import type { Database } from '../src/database/database.ts';
import { LONGEST_ANSWER_MS } from '../src/database/deadlines.ts';
import { type Sql, sql, within } from '../src/database/sql.ts';
import { DAY_MS } from '../src/kernel/durations.ts';

export const SPACES = 50;
export const KEYS = 10_000;
export const MEMBERS = 1_000;
const MODELS = 20;
/** Of the first space. */
export const BIG_SHARE = 0.9;
const BIG_KEYS = KEYS * BIG_SHARE;
const BIG_MEMBERS = MEMBERS * BIG_SHARE;
/** Of keys: each belongs to one of them. */
const TEAMS = 20;
/** Of calls: half of them have a tag for it. */
const FEATURES = 5;
const YEAR_MS = 365 * DAY_MS;
const CHUNK_CALLS = 500_000;
/** What one commit charges. */
const GROUP_CALLS = 64;
const AUDIT_LINES = 200_000;
const JOBS = 20_000;
/** Indexes of tables with millions of rows are created after the rows, which is faster. */
const LARGE_TABLES = ['calls', 'refusals', 'journal'];

/** Fills an empty database. */
export async function makeListRows(
  db: Database,
  { calls, now, say }: { calls: number; now: number; say: (line: string) => void },
): Promise<void> {
  const run = async (statement: Sql): Promise<void> =>
    void (await db.query(within(LONGEST_ANSWER_MS, statement)));
  await makeIdFunction(db);
  await makeSpaces(run, now);
  await insertAttributions(run);
  const indexes = await dropIndexes(db);
  for (let from = 0; from < calls; from += CHUNK_CALLS) {
    const until = Math.min(from + CHUNK_CALLS, calls);
    await insertCalls(db, { from, until, startMs: now - YEAR_MS, stepMs: YEAR_MS / calls });
    say(`${until.toLocaleString('en')} calls`);
  }
  await insertRefusals(run, { calls, now });
  await insertJobs(run, now);
  await settle(run);
  for (const statement of indexes) {
    await run({ text: statement, values: [] });
    say(statement.replace(/ USING btree/, ''));
  }
  await run(sql`vacuum (analyze)`);
}

/** Ids like those of `kernel/ids.ts`. Hexadecimal digits are digits of base 32 too. */
async function makeIdFunction(db: Database): Promise<void> {
  const digit = (shift: number): string =>
    `substr('0123456789abcdefghjkmnpqrstvwxyz', (((ms >> ${shift}) & 31) + 1)::integer, 1)`;
  const time = [45, 40, 35, 30, 25, 20, 15, 10, 5, 0].map(digit).join(' || ');
  await db.transaction((tx) =>
    tx.script(`
      create function bench_id(prefix text, ms bigint, n bigint) returns text language sql immutable as
      $$ select prefix || '_' || ${time} || substr(md5(n::text), 1, 16) $$`),
  );
}

async function makeSpaces(run: (statement: Sql) => Promise<void>, now: number): Promise<void> {
  const created = now - YEAR_MS;
  const at = sql`to_timestamp(${created / 1000}::float8)`;
  await run(sql`
    insert into spaces (id, name, overage_allowed, created_at)
    select bench_id('spc', ${created}, n), 'space-' || n, n % 2 = 0, ${at} from generate_series(0, ${SPACES - 1}) n`);
  await run(sql`insert into accounts (space_id) select id from spaces`);
  await run(sql`
    insert into members (id, space_id, email, nickname, role, created_at)
    select bench_id('mem', ${created}, n), s.id, 'person-' || n || '@example.com', 'Person ' || n,
      case when n % 50 = 0 then 'admin' else 'member' end, ${at}
    from generate_series(0, ${MEMBERS - 1}) n join spaces s
      on s.name = 'space-' || case when n < ${BIG_MEMBERS} then 0 else 1 + n % ${SPACES - 1} end`);
  await run(sql`
    insert into people (id, email, nickname, is_operator, created_at)
    select bench_id('per', ${created}, n), 'person-' || n || '@example.com', 'Person ' || n, n % 100 = 0, ${at}
    from generate_series(0, ${MEMBERS - 1}) n`);
  // Four of five keys are personal, some are disabled, expired or revoked.
  await run(sql`
    insert into keys (id, space_id, kind, member_id, created_by, name, digest, hint, expires_at, disabled_at,
      revoked_at, created_at, month_limit)
    select bench_id('key', (${created}::bigint + n), n), s.id, case when n % 5 = 0 then 'shared' else 'personal' end,
      case when n % 5 = 0 then null else m.id end, m.id, 'key-' || md5(n::text), md5(n::text), 'sk_…' || n,
      to_timestamp(${now / 1000}::float8) + case when n % 40 = 1 then -1 else 90 end * interval '1 day',
      case when n % 40 = 2 then ${at} end, case when n % 20 = 3 then ${at} end, ${at},
      case when n % 3 = 0 then 100 end
    from generate_series(0, ${KEYS - 1}) n
    join spaces s on s.name = 'space-' || case when n < ${BIG_KEYS} then 0 else 1 + n % ${SPACES - 1} end
    join lateral (
      select id from members where space_id = s.id and email = 'person-' || case when n < ${BIG_KEYS}
        then n % ${BIG_MEMBERS} else ${BIG_MEMBERS} + (n - ${BIG_MEMBERS}) % ${SPACES - 1} end || '@example.com') m on true`);
  await run(sql`create table bench_numbers as
    select n, k.id, k.space_id, k.member_id from generate_series(0, ${KEYS - 1}) n
    join keys k on k.digest = md5(n::text)`);
  await run(sql`create unique index on bench_numbers (n)`);
}

/** Team and feature, `<team>-<feature>`. */
async function insertAttributions(run: (statement: Sql) => Promise<void>): Promise<void> {
  await run(sql`
    insert into attributions (space_id, id, dimensions)
    select s.id, team || '-' || feature,
      jsonb_build_object('tag:feature', 'feature-' || feature, 'tag:team', 'team-' || team)
    from spaces s, generate_series(0, ${TEAMS - 1}) team, generate_series(0, ${FEATURES - 1}) feature`);
}

/** One key has a tenth of the calls of the first space. The others share the rest, each with four models. */
async function insertCalls(
  db: Database,
  { from, until, startMs, stepMs }: { from: number; until: number; startMs: number; stepMs: number },
): Promise<void> {
  await db.transaction(
    async (tx) => {
      await tx.script('set local synchronous_commit = off');
      await tx.query(sql`
        with drawn as (
          select n, case when n % 10 = 9 then ${BIG_KEYS} + (n / ${GROUP_CALLS} * 31) % ${KEYS - BIG_KEYS}
              when n % 100 < 9 then 1 else (n * 7919) % ${BIG_KEYS} end as key,
            (${startMs}::float8 + n * ${stepMs}::float8)::bigint as ms,
            case when n % 100 = 7 then 'failed' when n % 200 = 3 then 'partial' else 'completed' end as outcome,
            case when n % 100 = 7 or n % 1000 = 4 then null
              when n % 1000003 = 0 then 25 else ((n % 997) + 1) * 0.000000137 end as cost
          from generate_series(${from}::bigint, ${until - 1}::bigint) as n
        ), fresh as (
          insert into calls (id, space_id, key_id, member_id, endpoint, model, provider, upstream_model, streamed, outcome,
            problem, finish_reason, usage_source, input_tokens, cached_input_tokens, cache_write_tokens, output_tokens,
            reasoning_tokens, price_version, cost, charge_lines, attempts, started_at, first_byte_ms, duration_ms,
            charged_at, month, entry_id, attribution)
          select bench_id('req', d.ms, d.n), k.space_id, k.id, k.member_id,
            case when d.n % 1000 = 11 then 'images' when d.n % 10 = 2 then 'embeddings' else 'chat' end,
            'model-' || (d.key * 4 + (d.n / ${BIG_KEYS}) % 4) % ${MODELS}, 'upstream', 'model', d.n % 3 = 0, d.outcome,
            case d.outcome when 'failed' then 'provider_error' end, 'stop', 'provider', 550, 0, 0, 120, 0, 'bench-1',
            d.cost,
            json_build_array(json_build_object('component', 'output', 'count', 120, 'price', '1', 'amount', d.cost::text)),
            1, to_timestamp(d.ms / 1000.0), 200, 900, to_timestamp(d.ms / 1000.0),
            to_char(to_timestamp(d.ms / 1000.0) at time zone 'UTC' + interval '9 hours', 'YYYY-MM'),
            case when d.cost > 0 then 1000 + (d.n / ${GROUP_CALLS}) * 64 + d.n % 10 / 9 end,
            case when d.n / 64 % 2 = 0 then d.key % ${TEAMS} || '-' || d.n % ${FEATURES} end
          from drawn d join bench_numbers k on k.n = d.key
          returning entry_id, space_id, key_id, model, month, outcome, cost, charged_at, attribution
        ), ${totalsOfFresh}
        insert into journal (space_id, kind, ref, overage, spent, at)
        select space_id, 'charge', 'calls', -sum(cost), sum(cost), max(charged_at) from fresh
        where cost > 0 group by space_id, entry_id`);
    },
    { timeoutMs: LONGEST_ANSWER_MS },
  );
}

/** Rejected requests of the last 30 days: one for each hundred calls, and one for each call that failed then. */
async function insertRefusals(
  run: (statement: Sql) => Promise<void>,
  { calls, now }: { calls: number; now: number },
): Promise<void> {
  const count = Math.ceil(calls / 100);
  const [start, step] = [now - 30 * DAY_MS, (30 * DAY_MS) / count];
  await run(sql`
    insert into refusals (id, at, space_id, key_id, endpoint, code, status, detail)
    select bench_id('req', r.ms, -r.n), to_timestamp(r.ms / 1000.0), k.space_id, k.id, 'createChatCompletion',
      'rate_limit_exceeded', 429, 'The limit of 100 requests per minute is reached.'
    from (select n, (${start}::float8 + n * ${step}::float8)::bigint as ms from generate_series(1, ${count}::bigint) n) r
    join bench_numbers k on k.n = (r.n * 7919) % ${KEYS}`);
  await run(sql`
    insert into refusals (id, at, space_id, key_id, endpoint, code, status, detail)
    select id, started_at, space_id, key_id, 'createChatCompletion', problem, 502, 'The provider failed.'
    from calls where outcome = 'failed' and started_at > to_timestamp(${start / 1000}::float8)`);
}

async function insertJobs(run: (statement: Sql) => Promise<void>, now: number): Promise<void> {
  const [start, step] = [now - YEAR_MS, YEAR_MS / JOBS];
  const drawn = sql`(
    select j.n, (${start}::float8 + j.n * ${step}::float8)::bigint as ms, k.id, k.space_id, k.member_id from generate_series(0, ${JOBS - 1}) j (n)
    join bench_numbers k on k.n = (j.n * 7919) % ${KEYS})`;
  const at = sql`to_timestamp(d.ms / 1000.0)`;
  const month = sql`to_char(${at} at time zone 'UTC' + interval '9 hours', 'YYYY-MM')`;
  await run(sql`
    insert into batches (id, space_id, owner, key_id, member_id, input_file_id, endpoint, model, status, total, completed,
      created_at, expires_at, completed_at, settlement_status, settlement_reason, settled_units, settled_at, settled_month,
      settled_requests)
    select bench_id('batch', d.ms, d.n), d.space_id, coalesce(d.member_id, d.id), d.id, d.member_id,
      bench_id('file', d.ms, d.n), '/v1/chat/completions', 'model-' || d.n % ${MODELS}, 'completed', 10, 10, ${at},
      ${at} + interval '1 day', ${at}, case when d.n % 1000 = 0 then 'quarantined' else 'settled' end,
      case when d.n % 1000 = 0 then 'unknown cost' end, case when d.n % 1000 > 0 then 0 end,
      case when d.n % 1000 > 0 then ${at} end, case when d.n % 1000 > 0 then ${month} end,
      case when d.n % 1000 > 0 then 0 end
    from ${drawn} d`);
  await run(sql`
    insert into video_jobs (id, space_id, owner, key_id, member_id, model, status, created_at, completed_at, expires_at,
      cost)
    select bench_id('job', d.ms, d.n), d.space_id, coalesce(d.member_id, d.id), d.id, d.member_id, 'video-1',
      case when d.n % 50 = 0 then 'failed' else 'succeeded' end, ${at}, ${at}, ${at} + interval '30 days', 0
    from ${drawn} d`);
  await run(sql`
    insert into reference_files (id, space_id, owner, track, kind, mime_type, bytes, sha256, created_at, expires_at)
    select bench_id('ref', d.ms, d.n), d.space_id, coalesce(d.member_id, d.id), 'file',
      case when d.n % 10 = 0 then 'video' else 'image' end, 'image/png', 1000, md5(d.n::text), ${at},
      ${at} + interval '2 years'
    from ${drawn} d`);
  await run(sql`
    insert into media (id, space_id, owner, job_id, position, kind, status, mime_type, bytes, sha256, created_at,
      expires_at)
    select bench_id('media', d.ms, d.n), d.space_id, coalesce(d.member_id, d.id), bench_id('job', d.ms, d.n), 0, 'video',
      'ready', 'video/mp4', 1000, md5(d.n::text), ${at}, ${at} + interval '2 years'
    from ${drawn} d`);
  await run(sql`
    insert into audit_log (at, actor, action, space_id, subject, after)
    select to_timestamp(${start / 1000}::float8) + a.n * interval '2 minutes', 'person-' || a.n % 100 || '@example.com',
      (array['keys.create', 'keys.rotate', 'members.add', 'spaces.rate'])[1 + a.n % 4], k.space_id, 'subject-' || a.n,
      '{"name": "changed"}'
    from generate_series(0, ${AUDIT_LINES - 1}) a (n) join bench_numbers k on k.n = (a.n * 31::bigint) % ${KEYS}`);
  await run(sql`
    insert into projects (id, space_id, name, created_at)
    select 'project-' || n, s.id, 'Project ' || n, to_timestamp(${start / 1000}::float8)
    from generate_series(0, 99) n join spaces s on s.name = 'space-0'`);
  await run(sql`
    insert into builds (id, project_id, status, started_at, finished_at)
    select bench_id('bld', d.ms, d.n), 'project-' || d.n % 100,
      case when d.n % 20 = 0 then 'failed' else 'succeeded' end, ${at}, ${at}
    from ${drawn} d`);
}

/** Grants, invoices and corrections; the accounts then owe what the journal says. */
async function settle(run: (statement: Sql) => Promise<void>): Promise<void> {
  await run(sql`
    insert into grants (id, space_id, kind, amount, remaining, expires_at, note, created_at)
    select bench_id('grt', 1000 + g.n, g.n * 100 + s.n), s.id, case when g.n % 2 = 0 then 'promo' else 'paid' end, 10, 10,
      case when g.n % 2 = 0 then now() + interval '1 year' end, 'bench', now() - g.n * interval '1 day'
    from generate_series(1, 300) g (n), (select id, name, row_number() over (order by id) as n from spaces) s
    where g.n <= 5 or s.name = 'space-0'`);
  await run(sql`
    insert into journal (space_id, kind, ref, issued, promo, paid, grant_ids, grant_parts, at)
    select space_id, 'grant', id, -amount, case kind when 'promo' then amount else 0 end,
      case kind when 'paid' then amount else 0 end, array[id], array[amount], created_at from grants`);
  await run(sql`
    insert into journal (space_id, kind, ref, overage, invoiced, at)
    select s.id, 'invoice', bench_id('inv', 1000 + n, n), 0.000001, -0.000001, now() - n * interval '30 days'
    from spaces s, generate_series(1, 11) n`);
  await run(sql`
    update accounts a set overage_accrued = owed.units
    from (select space_id, -sum(overage) as units from journal group by 1) owed where owed.space_id = a.space_id`);
}

async function dropIndexes(db: Database): Promise<string[]> {
  const indexes = await db.query<{ name: string; statement: string }>(sql`
    select indexname as name, indexdef as statement from pg_indexes
    where tablename = any (${LARGE_TABLES}) and indexname not like '%!_pkey' escape '!' order by indexname`);
  for (const { name } of indexes) await db.query({ text: `drop index ${name}`, values: [] });
  return indexes.map(({ statement }) => statement);
}

/** Adds the calls that were made, as the product does: parts of a `with` clause after `fresh`. */
const totalsOfFresh = sql`
  months as (
    insert into month_parts as t (space_id, month, key_id, model, requests, unpriced, cost, last_at)
    select space_id, month, key_id, model, count(*), count(*) filter (where cost is null), coalesce(sum(cost), 0),
      max(charged_at)
    from fresh where outcome <> 'failed' group by 1, 2, 3, 4
    on conflict (space_id, month, key_id, model, writer) do update set requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced, cost = t.cost + excluded.cost, last_at = excluded.last_at
  ), days as (
    insert into day_parts as t (space_id, day, model, requests, unpriced, cost)
    select space_id, korean_day(charged_at), model, count(*), count(*) filter (where cost is null),
      coalesce(sum(cost), 0)
    from fresh where outcome <> 'failed' group by 1, 2, 3
    on conflict (space_id, day, model, writer) do update set requests = t.requests + excluded.requests,
      unpriced = t.unpriced + excluded.unpriced, cost = t.cost + excluded.cost
  ), attributed as (
    insert into attributed_months as t (space_id, month, attribution, key_id, model, requests, unpriced, cost)
    select space_id, month, attribution, key_id, model, count(*), count(*) filter (where cost is null),
      coalesce(sum(cost), 0)
    from fresh where outcome <> 'failed' and attribution is not null group by 1, 2, 3, 4, 5
    on conflict (space_id, month, attribution, key_id, model, writer) do update set
      requests = t.requests + excluded.requests, unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost
  ), attributed_by_day as (
    insert into attributed_days as t (space_id, day, attribution, key_id, requests, unpriced, cost)
    select space_id, korean_day(charged_at), attribution, key_id, count(*), count(*) filter (where cost is null),
      coalesce(sum(cost), 0)
    from fresh where outcome <> 'failed' and attribution is not null group by 1, 2, 3, 4
    on conflict (space_id, day, attribution, key_id, writer) do update set
      requests = t.requests + excluded.requests, unpriced = t.unpriced + excluded.unpriced,
      cost = t.cost + excluded.cost
  )`;
