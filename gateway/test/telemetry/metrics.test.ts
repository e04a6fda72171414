/** What `/metrics` says about calls, errors, routes, batches and money. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { testConfig, withBatches } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { metricsOf, parseMetrics, type ReadSeries, sumOf } from '../support/read-metrics.ts';

const hello = { model: 'sim-chat', messages: [{ role: 'user', content: 'hello' }] };
const config = withBatches(
  testConfig({
    providers: { dead: { dialect: 'openai', base_url: 'http://127.0.0.1:1/v1', api_key: 'dead-key-1' } },
    models: {
      'two-routes': {
        routes: [
          { provider: 'dead', model: 'sim-chat', priority: 1 },
          { provider: 'simulator', model: 'sim-chat', priority: 2 },
        ],
      },
    },
    prices: { 'two-routes': { input: 1, output: 2 } },
  }),
);

describe.each(engines)('on %s', (engine) => {
  let gateway: TestGateway;
  const read = async (): Promise<ReadSeries[]> => parseMetrics(await (await metricsOf(gateway)).text());
  /** Metrics of a request are counted when its connection is free again, which the caller may see first. */
  const until = async (check: (series: ReadSeries[]) => void): Promise<void> =>
    await vi.waitFor(async () => check(await read()), PATIENCE);

  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
  });
  afterAll(() => gateway.stop());

  test('a call is counted with its route, its outcome, its tokens and exactly its units', async () => {
    const reply = await gateway.chat(hello);
    const { usage } = (await reply.json()) as {
      usage: { prompt_tokens: number; completion_tokens: number };
    };
    const route = { model: 'sim-chat', route: 'sim-chat/0', provider: 'simulator', endpoint: 'chat' };
    const own = { ...route, space_class: 'postpaid' };
    const series = await read();
    expect(sumOf(series, 'tollgate_calls_total', { ...own, outcome: 'completed', status: '200' })).toBe(1);
    expect(sumOf(series, 'tollgate_tokens_total', { ...own, kind: 'input' })).toBe(usage.prompt_tokens);
    expect(sumOf(series, 'tollgate_tokens_total', own)).toBe(usage.prompt_tokens + usage.completion_tokens);
    const cost = Number(reply.headers.get('x-tollgate-cost-units'));
    expect(cost).toBeGreaterThan(0);
    expect(sumOf(series, 'tollgate_units_charged_total', own)).toBe(cost);
    expect(sumOf(series, 'tollgate_call_seconds_count', route)).toBe(1);
    expect(sumOf(series, 'tollgate_first_token_seconds_count', route)).toBeNull();
    expect(sumOf(series, 'tollgate_attempts_total', { route: 'sim-chat/0', outcome: 'answered' })).toBe(1);
  });

  test('a stream is counted with the time to its first token', async () => {
    await (await gateway.chat({ ...hello, model: 'sim-chat-classic', stream: true })).text();
    const route = { model: 'sim-chat-classic', endpoint: 'chat' };
    expect(sumOf(await read(), 'tollgate_first_token_seconds_count', route)).toBe(1);
  });

  test('a call without a price is counted as unpriced, and no units are', async () => {
    await (await gateway.chat({ ...hello, model: 'unpriced' })).text();
    const series = await read();
    expect(sumOf(series, 'tollgate_unpriced_calls_total', { model: 'unpriced' })).toBe(1);
    expect(sumOf(series, 'tollgate_units_charged_total', { model: 'unpriced' })).toBe(0);
  });

  test('a space that may not use overage has its own class', async () => {
    await gateway.admin('spaces.create', { name: 'prepaid', overage: false });
    await gateway.admin('grants.add', { space: 'prepaid', amount: '1', kind: 'paid' });
    const made = await gateway.admin('keys.create', { space: 'prepaid', name: 'own', kind: 'shared' });
    await (await gateway.chat(hello, { authorization: `Bearer ${made.key}` })).text();
    expect(sumOf(await read(), 'tollgate_calls_total', { space_class: 'prepaid' })).toBe(1);
  });

  test('what a running call holds is shown until it is charged', async () => {
    await gateway.admin('spaces.create', { name: 'holding', overage: false });
    await gateway.admin('grants.add', { space: 'holding', amount: '1', kind: 'paid' });
    const { key } = await gateway.admin('keys.create', { space: 'holding', name: 'own', kind: 'shared' });
    const { promise, resolve: finish } = Promise.withResolvers<void>();
    const said = { choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }] };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const frames = [said, { choices: [], usage }].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
    gateway.simulator.answers.set('held', {
      ...{ body: '', beforeLast: promise },
      frames: [...frames, 'data: [DONE]\n\n'],
    });
    const messages = [{ role: 'user', content: '[[say held]]' }];
    const reply = gateway.chat({ ...hello, messages, stream: true }, { authorization: `Bearer ${key}` });
    await until((series) => expect(sumOf(series, 'tollgate_purse_holds')).toBe(1));
    const series = await read();
    expect(sumOf(series, 'tollgate_purses', { kind: 'space' })).toBeGreaterThan(0);
    expect(sumOf(series, 'tollgate_purses', { kind: 'member' })).toBe(0);
    expect(sumOf(series, 'tollgate_purse_held_units', { kind: 'space' })).toBeGreaterThan(0);
    expect(sumOf(series, 'tollgate_purse_holds_oldest_seconds')).toBeGreaterThan(0);
    expect(sumOf(series, 'tollgate_purse_asks_total')).toBeGreaterThan(0);
    expect(sumOf(series, 'tollgate_purse_recalls_total', { how: 'sent' })).toBe(0);
    finish();
    await (await reply).text();
    await until((after) => {
      expect(sumOf(after, 'tollgate_purse_holds')).toBe(0);
      expect(sumOf(after, 'tollgate_purse_held_units')).toBe(0);
      expect(sumOf(after, 'tollgate_purse_holds_oldest_seconds')).toBe(0);
    });
  });

  test('slices that a dead process left are counted when they are given back', async () => {
    await gateway.query(sql`insert into purses (id, given) values ('space:spc_gone', 2)`);
    await gateway.query(sql`
      insert into slices (purse, process_id, granted) values ('space:spc_gone', 'prc_gone', 2)`);
    const folded = 'tollgate_purse_slices_folded_total';
    const before = sumOf(await read(), folded) ?? Number.NaN;
    await gateway.sweepAll();
    await until((series) => expect(sumOf(series, folded)).toBe(before + 1));
    const [purse] = await gateway.query<{ given: string }>(sql`
      select trim_scale(given)::text as given from purses where id = 'space:spc_gone'`);
    expect(purse?.given).toBe('0');
  });

  test('however many model codes callers invent, they are one series', async () => {
    for (const model of ['invented-1', 'invented-2', 'invented-3'])
      await (await gateway.chat({ ...hello, model })).text();
    const failed = { endpoint: 'createChatCompletion', model: 'unknown', code: 'model_not_found' };
    await until((series) => expect(sumOf(series, 'tollgate_errors_total', failed)).toBe(3));
    expect(JSON.stringify(await read())).not.toContain('invented');
  });

  test('a fallback, its failed attempts and the breaker that opens are counted by route', async () => {
    for (let call = 0; call < 5; call++) {
      const reply = await gateway.chat({ ...hello, model: 'two-routes' });
      expect(reply.status, await reply.text()).toBe(200);
    }
    const dead = { model: 'two-routes', route: 'two-routes/0', provider: 'dead' };
    const next = { model: 'two-routes', route: 'two-routes/1', provider: 'simulator' };
    const series = await read();
    const refused = { ...dead, outcome: 'upstream_unavailable' };
    expect(sumOf(series, 'tollgate_attempts_total', refused)).toBe(5);
    expect(sumOf(series, 'tollgate_fallbacks_total', next)).toBe(5);
    expect(sumOf(series, 'tollgate_breaker_state', dead)).toBe(2);
    expect(sumOf(series, 'tollgate_breaker_state', next)).toBe(0);
    // The open breaker is a reason for a fallback too.
    await (await gateway.chat({ ...hello, model: 'two-routes' })).text();
    const after = await read();
    expect(sumOf(after, 'tollgate_attempts_total', refused)).toBe(5);
    expect(sumOf(after, 'tollgate_fallbacks_total', next)).toBe(6);
  });

  test('a batch is in the backlog until it is settled, and its units are counted once', async () => {
    const stage = new BatchStage(gateway);
    const batch = await stage.submitted([chatLine('a', 'one'), chatLine('b', 'two')]);
    const { settled_units: units } = await stage.settled(batch.id);
    await until((series) => {
      expect(sumOf(series, 'tollgate_settlements_total', { kind: 'batch', result: 'settled' })).toBe(1);
      expect(sumOf(series, 'tollgate_backlog_jobs', { kind: 'batch' })).toBe(0);
    });
    const series = await read();
    expect(sumOf(series, 'tollgate_calls_total', { endpoint: 'batch', outcome: 'completed' })).toBe(2);
    expect(sumOf(series, 'tollgate_units_charged_total', { endpoint: 'batch' })).toBe(Number(units));
    expect(sumOf(series, 'tollgate_backlog_oldest_seconds', { kind: 'batch' })).toBe(0);
    expect(sumOf(series, 'tollgate_backlog_jobs', { kind: 'video' })).toBe(0);
    expect(sumOf(series, 'tollgate_batches_quarantined')).toBe(0);
  });

  test('a reader that accepts OpenMetrics gets it, with the same series', async () => {
    const page = await metricsOf(gateway, 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5');
    expect(page.headers.get('content-type')).toMatch(/^application\/openmetrics-text/);
    const text = await page.text();
    expect(text).toMatch(/\n# EOF\n$/);
    expect(text).toContain('# TYPE tollgate_calls counter\n');
    const names = (series: readonly ReadSeries[]): string[] => series.map(({ name }) => name);
    const ours = (series: readonly ReadSeries[]): string[] =>
      [...new Set(names(series))].filter((name) => name.startsWith('tollgate_')).sort();
    expect(ours(parseMetrics(text))).toEqual(ours(await read()));
  });

  test('the build and the engine are named, and the event loop is watched', async () => {
    const series = await read();
    const named = { engine: gateway.databaseUrl === null ? 'embedded' : 'postgres' };
    expect(sumOf(series, 'tollgate_build_info', named)).toBe(1);
    expect(sumOf(series, 'nodejs_eventloop_lag_p99_seconds')).not.toBeNull();
    expect(sumOf(series, 'tollgate_log_followers')).toBe(0);
  });
});
