/** Usage and costs in the form of OpenAI's API: the official library reads them, and they are the charges, to the last digit. */
import type { OpenAI } from 'openai';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { organizationEndpoints } from '../../src/contract/organization/organization-endpoints.ts';
import { usageReports } from '../../src/contract/organization/usage-reports.ts';
import type { UsageRecord } from '../../src/contract/platform.ts';
import { sql } from '../../src/database/sql.ts';
import { monthOf, monthStart, nextMonth, systemClock, unixSecondsOf } from '../../src/kernel/time.ts';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { openaiClient } from '../support/clients.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { BACKGROUND_PATIENCE } from '../support/patience.ts';

const config = testConfig({
  models: {
    'sim-chat': { batch: true },
    'sim-embed': { endpoints: ['embeddings'], routes: [{ provider: 'simulator', model: 'sim-embed' }] },
    'sim-image': { endpoints: ['images'], routes: [{ provider: 'simulator', model: 'sim-image' }] },
    film: { endpoints: ['video'], routes: [{ provider: 'simulator', model: 'sim-video' }] },
  },
  prices: {
    'sim-chat': { batch_input: 1.25, batch_output: 5 },
    'sim-embed': { input: 0.1 },
    'sim-image': { per_image: '0.042' },
    film: { per_second: '0.1' },
  },
  limits: { video_poll_ms: 100 },
});
const MONTH = monthOf(systemClock.now());
const period = {
  start_time: unixSecondsOf(monthStart(MONTH)),
  end_time: unixSecondsOf(monthStart(nextMonth(MONTH))),
};

interface Page {
  readonly data: ReadonlyArray<{
    readonly start_time: number;
    readonly end_time: number;
    readonly results: ReadonlyArray<Record<string, unknown>>;
  }>;
  readonly has_more: boolean;
  readonly next_page: string | null;
}

describe.each(engines)('usage in the form of OpenAI on %s', (engine) => {
  let gateway: TestGateway;
  let managementKey: string;
  let operatorToken: string;
  let spaceToken: string;
  let otherKey: string;
  let admin: OpenAI;
  let annsId: string;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    const { admin: run } = gateway;
    await run('operators.add', {
      email: 'op@example.com',
      password: 'a long enough password',
    });
    managementKey = (await run('keys.create', { name: 'reports', space: 'acme', kind: 'management' })).key;
    spaceToken = (await run('tokens.create', { space: 'acme', name: 'finops', access: 'read' })).token;
    operatorToken = (await run('operatorTokens.create', { name: 'finops', access: 'read' })).token;
    await run('spaces.create', { name: 'globex', overage: true });
    await run('grants.add', { space: 'globex', amount: '10', kind: 'paid' });
    otherKey = (await run('keys.create', { name: 'globex', space: 'globex', kind: 'shared' })).key;
    admin = openaiClient({ url: gateway.url, key: 'unused' }, { adminAPIKey: managementKey });
    await callEverything();
  });
  afterAll(() => gateway.stop());

  async function callEverything(): Promise<void> {
    const { admin: run } = gateway;
    await run('members.add', { space: 'acme', email: 'ann@example.com', nickname: 'Ann', role: 'member' });
    const anns = { name: 'anns', space: 'acme', kind: 'personal', email: 'ann@example.com' } as const;
    const { key } = await run('keys.create', anns);
    [annsId = ''] = (await gateway.query<{ id: string }>(sql`select id from keys where name = 'anns'`)).map(
      ({ id }) => id,
    );
    const message = [{ role: 'user', content: 'Reply with exactly: one two three' }];
    const asks: Array<[string, object, string]> = [
      ['/v1/chat/completions', { model: 'sim-chat', messages: message }, gateway.key],
      ['/v1/chat/completions', { model: 'sim-chat-classic', messages: message }, key],
      ['/v1/chat/completions', { model: 'unpriced', messages: message }, key],
      ['/v1/responses', { model: 'sim-chat', input: 'Hello.' }, key],
      ['/v1/messages', { model: 'sim-chat', max_tokens: 99, messages: message }, gateway.key],
      ['/v1/embeddings', { model: 'sim-embed', input: 'words' }, gateway.key],
      ['/v1/images/generations', { model: 'sim-image', prompt: 'A kite', n: 2 }, gateway.key],
      ['/v1/chat/completions', { model: 'sim-chat', messages: message }, otherKey],
    ];
    await run('spaces.unpriced', { space: 'acme', allowed: true });
    const ids: string[] = [];
    for (const [path, body, bearer] of asks) {
      const headers = { authorization: `Bearer ${bearer}`, 'anthropic-version': '2023-06-01' };
      const reply = await gateway.post(path, body, headers);
      expect(reply.status, `${path} ${await reply.text()}`).toBe(200);
      ids.push(reply.headers.get('x-request-id') ?? '');
    }
    await run('ledger.correct', { call: ids[0] as string, amount: '0.250000000007', note: 'wrong price' });
    const stage = new BatchStage(gateway);
    const { id } = await stage.submitted(
      ['a', 'b', 'c'].map((name) => chatLine(name, `Reply with exactly: ${name}`)),
    );
    await stage.settled(id);
    await gateway.post('/v1/video/generations', { model: 'film', prompt: 'A red kite' });
    await vi.waitFor(async () => {
      const [video] = await gateway.query(sql`select id from video_jobs where settled_at is not null`);
      expect(video).toBeDefined();
    }, BACKGROUND_PATIENCE);
  }

  function ask(
    path: string,
    query: Record<string, unknown> | string,
    key = managementKey,
  ): Promise<Response> {
    const search =
      typeof query === 'string'
        ? query
        : Object.entries(query)
            .flatMap(([name, value]) =>
              Array.isArray(value) ? value.map((one) => `${name}[]=${one}`) : [`${name}=${value}`],
            )
            .join('&');
    return fetch(`${gateway.url}/v1/organization/${path}?${search}`, {
      headers: { authorization: `Bearer ${key}` },
    });
  }

  /** All pages. Amounts are read as they are written, because a JavaScript number would round them. */
  async function read(
    path: string,
    query: Record<string, unknown> = {},
    key = managementKey,
  ): Promise<Page['data']> {
    const found: Array<Page['data'][number]> = [];
    for (let page: string | null = null; ; ) {
      const reply = await ask(path, { ...period, ...query, ...(page !== null && { page }) }, key);
      const text = await reply.text();
      expect(reply.status, text).toBe(200);
      const exact = JSON.parse(text.replaceAll(/"value":(-?[\d.]+)/g, '"value":"$1"')) as Page;
      const shape = new Shape(
        Object.values(organizationEndpoints).find((one) => one.path.endsWith(`/${path}`))?.response as never,
      );
      expect(shape.error(JSON.parse(text))).toBeNull();
      found.push(...exact.data);
      expect(exact.has_more).toBe(exact.next_page !== null);
      if (exact.next_page === null) return found;
      page = exact.next_page;
    }
  }

  function results(data: Page['data']): Array<Record<string, unknown>> {
    return data.flatMap((bucket) => [...bucket.results]);
  }

  function totalOf(data: Page['data']): string {
    const amounts = results(data).map(({ amount }) => (amount as { value: string }).value);
    return printUnits(sumUnits(amounts.map(parseUnits)));
  }

  async function usage(key = managementKey): Promise<UsageRecord> {
    const reply = await fetch(`${gateway.url}/v1/usage?month=${MONTH}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return (await reply.json()) as UsageRecord;
  }

  const groupings = [
    [],
    ['project_id'],
    ['line_item'],
    ['user_id'],
    ['api_key_id', 'line_item'],
    ['batch', 'user_id', 'line_item', 'project_id'],
  ].map((groups) => [groups.join(', ') || 'nothing', groups] as const);

  test.each(groupings)(
    'the days of a month add up to its usage to the last digit, grouped by %s',
    async (_, group_by) => {
      const query = group_by.length === 0 ? {} : { group_by };
      const data = await read('costs', query);
      const { totalCostUsage, totalRequestCount } = await usage();
      expect(totalOf(data)).toBe(totalCostUsage);
      const counted = results(data).map(({ num_requests, num_unpriced_requests, units, amount }) => {
        expect(amount as { value: string; currency: string }).toEqual({ value: units, currency: 'xxx' });
        return [num_requests as number, num_unpriced_requests as number];
      });
      expect(counted.reduce((sum, [requests = 0]) => sum + requests, 0)).toBe(totalRequestCount);
      expect(counted.reduce((sum, [, unpriced = 0]) => sum + unpriced, 0)).toBe(1);
      const statement = await gateway.admin('statements.get', { space: 'acme', month: MONTH });
      expect(totalOf(data)).toBe(statement.charged);
    },
  );

  test('costs by line item and key are those of the usage report, with batches, videos and corrections', async () => {
    const byModel = results(await read('costs', { group_by: ['line_item'] }));
    const { costsByModel } = await usage();
    const sums = Map.groupBy(byModel, ({ line_item }) => line_item as string);
    expect(sums.has('film')).toBe(true);
    expect(
      Object.fromEntries(
        [...sums].map(([model, rows]) => [
          model,
          printUnits(sumUnits(rows.map(({ units }) => parseUnits(units as string)))),
        ]),
      ),
    ).toEqual(Object.fromEntries(costsByModel.map(({ model, cost }) => [model, cost])));
    const batches = results(await read('costs', { group_by: ['batch'] })).filter(
      ({ batch }) => batch === true,
    );
    const [settled] = await gateway.query<{ units: string }>(
      sql`select trim_scale(settled_units)::text as units from batches where settled_units > 0`,
    );
    expect(batches).toMatchObject([{ units: settled?.units, num_requests: 3 }]);
    expect(totalOf(await read('costs', { batch: true }))).toBe(settled?.units);
  });

  test('tokens are those of the calls and lines, in every width and grouping', async () => {
    const [stored] = await gateway.query<{ input: number; output: number; requests: number }>(sql`
      select sum(input_tokens)::bigint as input, sum(output_tokens)::bigint as output, count(*) as requests from (
        select input_tokens, output_tokens from calls c join spaces s on s.id = c.space_id
        where s.name = 'acme' and outcome <> 'failed' and endpoint in ('chat', 'responses', 'messages')
        union all select input_tokens, output_tokens from line_receipts where outcome <> 'failed') t`);
    const all = ['project_id', 'user_id', 'api_key_id', 'model', 'batch', 'service_tier'];
    const now = unixSecondsOf(systemClock.now());
    const today = { start_time: now - 3_600, end_time: now + 60 };
    for (const query of [
      {},
      { group_by: all },
      { bucket_width: '1h', limit: 168, ...today },
      { bucket_width: '1m', group_by: ['model'], ...today },
    ]) {
      const rows = results(await read('usage/completions', query));
      const sum = (field: string): number => rows.reduce((so, row) => so + (row[field] as number), 0);
      expect([sum('input_tokens'), sum('output_tokens'), sum('num_model_requests')]).toEqual([
        stored?.input,
        stored?.output,
        stored?.requests,
      ]);
      expect(
        sum('input_cached_tokens') + sum('input_cache_write_tokens') + sum('input_uncached_tokens'),
      ).toBe(stored?.input);
    }
    const [space] = await gateway.query<{ id: string }>(sql`select id from spaces where name = 'acme'`);
    const rows = results(await read('usage/completions', { group_by: all }));
    expect(rows).toContainEqual(
      expect.objectContaining({
        ...{ project_id: space?.id, api_key_id: annsId, model: 'sim-chat', batch: false },
        ...{ service_tier: 'default', num_model_requests: 1, user_id: expect.stringMatching(/^mem_/) },
      }),
    );
    expect(rows.filter(({ batch }) => batch === true)).toMatchObject([
      { num_model_requests: 3, user_id: null },
    ]);
  });

  test('embeddings and images have reports of their own, and what nobody can call is empty', async () => {
    const embeddings = results(await read('usage/embeddings', { group_by: ['model'] }));
    expect(embeddings).toMatchObject([{ model: 'sim-embed', num_model_requests: 1, project_id: null }]);
    expect(embeddings[0]?.input_tokens).toBeGreaterThan(0);
    expect(results(await read('usage/images'))).toMatchObject([
      { images: 2, num_model_requests: 1, model: null },
    ]);
    for (const [name, { path, of }] of Object.entries(usageReports)) {
      if (of !== null && 'makes' in of) continue;
      const data = await read(path.replace('/v1/organization/', ''));
      expect(data.length, name).toBeGreaterThan(0);
      expect(results(data), name).toEqual([]);
    }
  });

  test('filters keep what they name', async () => {
    const [ann] = results(await read('usage/completions', { api_key_ids: [annsId] }));
    expect(ann).toMatchObject({ num_model_requests: 3 });
    const [member] = await gateway.query<{ id: string }>(sql`select id from members where nickname = 'Ann'`);
    expect(results(await read('usage/completions', { user_ids: [member?.id] }))).toEqual([ann]);
    const models = ['sim-chat-classic', 'sim-embed'];
    expect(results(await read('usage/completions', { models }))).toMatchObject([{ num_model_requests: 1 }]);
    expect(results(await read('usage/completions', { batch: false }))).toMatchObject([
      { num_model_requests: 5 },
    ]);
    expect(totalOf(await read('costs', { line_items: ['sim-chat-classic'], api_key_ids: [annsId] }))).toBe(
      (await usage()).costsByModel.find(({ model }) => model === 'sim-chat-classic')?.cost,
    );
  });

  test('the official library reads usage and costs with base URL and admin key changed', async () => {
    const { usage: reports } = admin.admin.organization;
    const page = await reports.completions({ ...period, group_by: ['model', 'batch'], limit: 31 });
    expect(page).toMatchObject({ object: 'page' });
    const rows = page.data.flatMap((bucket) => bucket.results);
    expect(rows.length).toBeGreaterThan(2);
    for (const row of rows) expect(row).toMatchObject({ object: 'organization.usage.completions.result' });
    const first = await reports.costs({ ...period, group_by: ['line_item', 'project_id'] });
    expect(first.data[0]).toMatchObject({ object: 'bucket', start_time: period.start_time });
    const buckets = [...first.data];
    for (let next = first.next_page; next !== null; ) {
      const more = await reports.costs({ ...period, group_by: ['project_id', 'line_item'], page: next });
      buckets.push(...more.data);
      next = more.next_page;
    }
    expect(buckets.at(-1)?.end_time).toBeLessThanOrEqual(period.end_time);
    const sum = buckets
      .flatMap((bucket) => bucket.results)
      .reduce((so, row) => so + ('amount' in row ? (row.amount?.value ?? 0) : 0), 0);
    expect(sum).toBeCloseTo(Number((await usage()).totalCostUsage), 9);
    for (const read of [
      reports.embeddings,
      reports.images,
      reports.moderations,
      reports.audioSpeeches,
    ] as const)
      expect((await read.call(reports, { start_time: period.start_time })).object).toBe('page');
  });

  test('buckets are days, hours and minutes of UTC, cut to the period, and none is left out', async () => {
    const start = period.start_time + 90;
    const days = await read('usage/completions', { start_time: start, end_time: start + 3 * 86_400 });
    const first = Math.ceil(start / 86_400) * 86_400;
    const ends = [first, first + 86_400, first + 2 * 86_400, start + 3 * 86_400];
    const known = ends.filter((_, i) => i === 0 || (ends[i - 1] as number) < systemClock.now() / 1000);
    expect(days.map(({ start_time }) => start_time)).toEqual([start, ...known.slice(0, -1)]);
    expect(days.slice(0, 1).map(({ end_time }) => end_time)).toEqual([first]);
    const minutes = (await (
      await ask('usage/images', { start_time: start, bucket_width: '1m', limit: 3 })
    ).json()) as Page;
    expect(minutes.data.map(({ end_time }) => end_time - start)).toEqual([30, 90, 150]);
    expect(minutes.has_more).toBe(true);
  });

  test('a page is what it was while calls are added, and its cursor belongs to its question', async () => {
    // From before the month, so that several pages follow also on its first day.
    const query = { start_time: period.start_time - 10 * 86_400, limit: 12 };
    const one = (await (await ask('costs', { ...query, group_by: ['line_item'] })).json()) as Page;
    const next = { ...query, group_by: ['line_item'], page: one.next_page };
    const before = await (await ask('costs', next)).text();
    await gateway.chat({ model: 'sim-chat-classic', messages: [{ role: 'user', content: 'Hello.' }] });
    if (Number((JSON.parse(before) as Page).data.at(-1)?.end_time) * 1000 < systemClock.now())
      expect(await (await ask('costs', next)).text()).toBe(before);
    const other = await ask('costs', { ...next, group_by: ['user_id'] });
    expect([other.status, ((await other.json()) as { detail: string }).detail]).toEqual([
      400,
      expect.stringContaining('page belongs to another question'),
    ]);
    const cut = await ask('costs', { ...next, page: one.next_page?.slice(0, -3) });
    expect(await cut.json()).toMatchObject({ error: { code: 'invalid_parameter', param: 'page' } });
  });

  test('a management key and a token of a space see that space, an operator sees all or chooses', async () => {
    const own = await usage();
    for (const key of [managementKey, spaceToken])
      expect(totalOf(await read('costs', {}, key))).toBe(own.totalCostUsage);
    const ids = await gateway.query<{ id: string; name: string }>(sql`select id, name from spaces`);
    const idOf = (name: string): string => ids.find((space) => space.name === name)?.id ?? '';
    const [other] = await gateway.query<{ cost: string }>(
      sql`select trim_scale(sum(cost))::text as cost from month_parts where space_id = ${idOf('globex')}`,
    );
    const chosen = await read('costs', { project_ids: [idOf('globex')] }, operatorToken);
    expect(totalOf(chosen)).toBe(other?.cost);
    const all = await read('costs', { group_by: ['project_id'] }, operatorToken);
    expect(new Set(results(all).map(({ project_id }) => project_id))).toEqual(
      new Set([idOf('acme'), idOf('globex')]),
    );
    expect(parseUnits(totalOf(all))).toBe(parseUnits(own.totalCostUsage) + parseUnits(other?.cost ?? ''));
    const strange = { project_ids: [idOf('globex')] };
    const missing = { project_ids: ['spc_00000000000000000000000000'] };
    for (const key of [managementKey, spaceToken]) {
      const replies = await Promise.all(
        [strange, missing].map((query) => ask('costs', { ...period, ...query }, key)),
      );
      const bodies = (await Promise.all(replies.map((reply) => reply.json()))) as Array<{ detail: string }>;
      expect(replies.map(({ status }) => status)).toEqual([400, 400]);
      const [a, b] = bodies.map(({ detail }) => detail.replace(/"spc_\w+"/, 'ID'));
      expect(a).toBe(b);
    }
  });

  test('other credentials are refused with a sentence that says which one is needed', async () => {
    const refused = async (key: string): Promise<[number, string, string]> => {
      const reply = await ask('costs', period, key);
      const { type, detail } = (await reply.json()) as { type: string; detail: string };
      return [reply.status, type, detail];
    };
    expect(await refused(gateway.key)).toEqual([
      401,
      'invalid_credentials',
      'This is a gateway key (sk_…); this endpoint takes a management key (mk_…) or an administration token (at_…). ' +
        'Send Authorization: Bearer mk_… (or at_…).',
    ]);
    expect((await refused('at_cut'))[2]).toContain('The administration token is cut off or mistyped.');
    expect((await refused(operatorToken.slice(0, -1) + (operatorToken.endsWith('a') ? 'b' : 'a')))[0]).toBe(
      401,
    );
    const nothing = await fetch(`${gateway.url}/v1/organization/costs?start_time=0`);
    expect([nothing.status, ((await nothing.json()) as { type: string }).type]).toEqual([
      401,
      'missing_credentials',
    ]);
  });

  test.each([
    ['costs', '', 'start_time'],
    ['costs', 'start_time=x', 'start_time'],
    ['costs', 'start_time=1&start_time=2', 'start_time'],
    ['costs', 'start_time=5&end_time=5', 'end_time'],
    ['costs', 'start_time=1&bucket_width=1h', 'bucket_width'],
    ['costs', 'start_time=1&limit=181', 'limit'],
    ['costs', 'start_time=1&group_by=tag:team', 'group_by[0]'],
    ['costs', 'start_time=1&models=sim-chat', 'models'],
    ['usage/completions', 'start_time=1&limit=32', 'limit'],
    ['usage/completions', 'start_time=1&limit=0', 'limit'],
    ['usage/completions', 'start_time=1&limit=1441&bucket_width=1m', 'limit'],
    ['usage/completions', 'start_time=1&bucket_width=1w', 'bucket_width'],
    ['usage/completions', 'start_time=1&group_by[]=model&group_by[]=api_source', 'group_by[1]'],
    ['usage/completions', 'start_time=1&batch=yes', 'batch'],
    ['usage/images', 'start_time=1&group_by[0]=size', 'group_by[0]'],
    ['usage/images', 'start_time=1&sizes[]=256x256', 'sizes'],
    ['usage/embeddings', 'start_time=1&api_key_ids=test', 'api_key_ids'],
    ['usage/web_search_calls', 'start_time=1&context_levels[]=low', 'context_levels'],
  ])('%s?%s is rejected, naming %s', async (path, query, param) => {
    const reply = await ask(path, query);
    expect([reply.status, await reply.json()]).toEqual([
      400,
      expect.objectContaining({ error: expect.objectContaining({ code: 'invalid_parameter', param }) }),
    ]);
  });
});
