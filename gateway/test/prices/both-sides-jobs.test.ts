/** Both sides of batches and videos: what is charged, with markup, and what the provider will bill, also later. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ReceiptObject } from '../../src/contract/receipt.ts';
import { sql } from '../../src/database/sql.ts';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { pointAt } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { VideoStage } from '../support/video-jobs-stage.ts';

const config = `
providers:
  simulator: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
models:
  chat: { batch: provider, routes: [{ provider: simulator, model: sim-chat }] }
  own: { batch: own, routes: [{ provider: simulator, model: sim-chat }] }
  later: { batch: own, routes: [{ provider: simulator, model: sim-chat }] }
  later-theirs: { batch: provider, routes: [{ provider: simulator, model: sim-chat }] }
  film: { endpoints: [video], video: { resolutions: [720p, 1024p] }, routes: [{ provider: simulator, model: sim-video }] }
  pictures: { endpoints: [images], routes: [{ provider: simulator, model: sim-image }] }
  film-free: { endpoints: [video], routes: [{ provider: simulator, model: sim-video }] }
prices:
  version: sides-1
  units_per_currency: 100
  markup:
    - { factor: 1.5, model: film }
    - { factor: 2, space: lab }
  models:
    chat: { input: 10, output: 20, when: [{ batch: true, factor: 0.5 }] }
    own: { input: 10, output: 20, when: [{ batch: true, factor: 0.5 }] }
    film: { per_second: { 720p: 0.25 } }
provider_prices:
  version: bill-1
  currency: USD
  models:
    simulator/sim-chat: { input: 2, output: 4, when: [{ batch: true, factor: 0.5 }] }
    simulator/sim-video: { per_second: { 720p: 0.2 } }
limits: { batch_poll_ms: 50, video_poll_ms: 50 }
`;

/** The next day's configuration: more prices, a markup for one key, and a provider that bills in another currency. */
function changed(keyId: string): string {
  return config
    .replace('sides-1', 'sides-2')
    .replace('bill-1', 'bill-2')
    .replace('USD', 'EUR')
    .replace(
      '    - { factor: 2, space: lab }',
      `    - { factor: 2, space: lab }\n    - { factor: 3, key: ${keyId} }`,
    )
    .replace(
      '    film: { per',
      '    later: &later { input: 10, output: 20, audio_input: 50, when: [{ batch: true, factor: 0.5 }] }\n' +
        '    later-theirs: *later\n    film: { per',
    )
    .replace(
      'sim-chat: { input: 2, output: 4, when: [',
      'sim-chat: { input: 3, output: 6, audio_input: 30, when: [{ tier: turbo, factor: 2 }, ',
    )
    .replace(
      '720p: 0.2 } }',
      '720p: 0.3 } }\n    simulator/sim-image: { per_image: { default: 0.1, 1024x1024: 0.2 } }',
    );
}

const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
const answer = (more: object = {}): { body: string } => ({
  body: JSON.stringify({
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'sim-chat', usage },
    choices: [{ index: 0, message: { role: 'assistant', content: 'Yes' }, finish_reason: 'stop' }],
    ...more,
  }),
});

interface Bill {
  readonly units: string | null;
  readonly bills: ReadonlyArray<Record<string, unknown>> | null;
}

describe.each(engines)('both sides of batches and videos on %s', (engine) => {
  let gateway: TestGateway;
  let lab: string;
  let special: string;
  let turboCall: string;
  let pictureCall: string;
  let laterOwn: string;
  let laterTheirs: string;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    // What it asks for has no price on either side.
    await gateway.admin('spaces.unpriced', { space: 'acme', allowed: true });
    const { answers } = gateway.simulator;
    answers.set('plain', answer());
    answers.set('turbo', answer({ service_tier: 'turbo' }));
    answers.set('moon', answer({ service_tier: 'moon' }));
    answers.set('audio', answer({ usage: { ...usage, prompt_tokens_details: { audio_tokens: 200 } } }));
    await gateway.admin('spaces.create', { name: 'lab', overage: true });
    ({ key: lab } = await gateway.admin('keys.create', { space: 'lab', name: 'k', kind: 'shared' }));
    ({ key: special } = await gateway.admin('keys.create', {
      space: 'acme',
      name: 'special',
      kind: 'shared',
    }));
  });
  afterAll(async () => {
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
    await gateway.stop();
  });

  const line = (id: string, model: string, say = 'plain'): string =>
    chatLine(id, `[[say ${say}]]`, { model });
  const two = (model: string): string[] => [line('a', model), line('b', model)];

  async function billOf(id: string): Promise<Bill> {
    const [row] = await gateway.query<Bill>(sql`
      select trim_scale(settled_units)::text as units, provider_bills as bills from batches where id = ${id}`);
    return row as Bill;
  }
  async function batch(lines: readonly string[], key = gateway.key): Promise<Bill> {
    const stage = new BatchStage(gateway, key);
    const { id } = await stage.settled((await stage.submitted(lines)).id);
    return await billOf(id);
  }
  async function quarantined(lines: readonly string[]): Promise<string> {
    const stage = new BatchStage(gateway);
    const { id } = await stage.submitted(lines);
    await stage.until(id, ({ settlement_status }) => settlement_status === 'quarantined');
    return id;
  }
  async function film(more: Record<string, unknown>, key = gateway.key): Promise<string> {
    const stage = new VideoStage(gateway, key);
    const { id } = await stage.created('a kite', { model: 'film', duration_seconds: 4, ...more });
    await stage.ended(id);
    return id;
  }
  async function sidesOf(table: 'calls' | 'video_jobs', id: string): Promise<object> {
    const columns = sql`trim_scale(cost)::text as cost, trim_scale(provider_cost)::text as provider,
      provider_currency as currency, provider_price_version as version`;
    const [row] =
      table === 'calls'
        ? await gateway.query(sql`select ${columns} from calls where id = ${id}`)
        : await gateway.query(sql`select ${columns} from video_jobs where id = ${id}`);
    return row as object;
  }
  async function call(model: string, say: string, key = gateway.key): Promise<string> {
    const messages = [{ role: 'user', content: `[[say ${say}]]` }];
    const reply = await gateway.chat({ model, messages }, { authorization: `Bearer ${key}` });
    expect(reply.status).toBe(200);
    await reply.text();
    return reply.headers.get('x-request-id') as string;
  }
  async function receiptOf(id: string, key = gateway.key): Promise<ReceiptObject> {
    const reply = await fetch(`${gateway.url}/v1/receipts/${id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return (await reply.json()) as ReceiptObject;
  }
  const route = { provider: 'simulator', upstream_model: 'sim-chat' };
  const usd = { ...route, currency: 'USD', version: 'bill-1', unknown: 0 };
  const eur = { ...route, currency: 'EUR', version: 'bill-2', unknown: 0 };

  test('a video keeps what its provider will bill, beside the charge with the markup of its model or space', async () => {
    const bill = { provider: '0.8', currency: 'USD', version: 'bill-1' };
    const [own, theirs] = await Promise.all([
      film({ resolution: '720p' }),
      film({ resolution: '720p' }, lab),
    ]);
    expect(await sidesOf('video_jobs', own)).toEqual({ cost: '1.5', ...bill });
    expect(await sidesOf('video_jobs', theirs)).toEqual({ cost: '2', ...bill });
    const { lines } = await receiptOf(theirs, lab);
    expect(lines).toEqual([{ component: 'second', count: 4, price: '0.5', amount: '2' }]);
  });

  test("a batch at the provider is billed with the provider's batch prices, one of our workers as calls", async () => {
    const [theirs, own, marked] = await Promise.all([
      batch(two('chat')),
      batch(two('own')),
      batch(two('chat'), lab),
    ]);
    expect(theirs).toEqual({
      units: '0.012',
      bills: [{ ...usd, lines: 2, cost: '0.0024', charge: '0.012' }],
    });
    expect(own).toEqual({ units: '0.012', bills: [{ ...usd, lines: 2, cost: '0.0048', charge: '0.012' }] });
    expect(marked).toEqual({
      units: '0.024',
      bills: [{ ...usd, lines: 2, cost: '0.0024', charge: '0.024' }],
    });
  });

  test('what has no price on one or both sides is listed, also videos and batches', async () => {
    const [unpriced, free] = await Promise.all([film({ resolution: '1024p' }), film({ model: 'film-free' })]);
    expect(await sidesOf('video_jobs', unpriced)).toEqual({
      ...{ cost: null, provider: null, currency: null, version: null },
    });
    const { usage: used, cost, lines } = await receiptOf(unpriced);
    expect([used.details, cost, lines]).toEqual([{ missing: ['second.1024p'] }, null, []]);
    expect((await receiptOf(free)).usage.details).toEqual({ missing: ['model'] });

    turboCall = await call('later', 'turbo');
    const picture = await gateway.post('/v1/images/generations', { model: 'pictures', prompt: 'a kite' });
    expect(picture.status, await picture.text()).toBe(200);
    pictureCall = picture.headers.get('x-request-id') as string;
    [laterOwn, laterTheirs] = await Promise.all([
      quarantined([line('a', 'later'), line('b', 'later', 'turbo')]),
      quarantined([line('a', 'later-theirs', 'audio')]),
    ]);
    expect(await sidesOf('calls', turboCall)).toMatchObject({ cost: null, provider: null });

    const { data } = await gateway.admin('prices.missing');
    expect(data.map(({ model, missing, calls }) => `${model} ${missing} ${calls}`).sort()).toEqual([
      'film second.1024p 1',
      'film-free model 1',
      'later model 3',
      'later-theirs model 1',
      'pictures model 1',
    ]);
    const later = await gateway.admin('prices.missing', { from: '2126-01-01T00:00:00Z' });
    expect(later.data).toEqual([]);
  });

  test('a markup for a key applies to its calls, batches and videos, and to no other key', async () => {
    const { data } = await gateway.admin('keys.list', { space: 'acme' });
    const keyId = data.find(({ name }) => name === 'special')?.id ?? '';
    writeFileSync(gateway.configFile, pointAt(changed(keyId), gateway));
    await vi.waitFor(() => {
      expect(gateway.logged.some((one) => one.includes('the configuration was reloaded'))).toBe(true);
    }, PATIENCE);
    const [video, bill, theirs, mine, others] = await Promise.all([
      film({ resolution: '720p' }, special),
      batch(two('own'), special),
      batch(two('chat'), special),
      call('chat', 'plain', special),
      call('chat', 'plain'),
    ]);
    expect(await sidesOf('video_jobs', video)).toEqual({
      ...{ cost: '3', provider: '1.2', currency: 'EUR', version: 'bill-2' },
    });
    expect(bill).toEqual({ units: '0.036', bills: [{ ...eur, lines: 2, cost: '0.0072', charge: '0.036' }] });
    expect(theirs).toEqual({
      units: '0.036',
      bills: [{ ...eur, lines: 2, cost: '0.0036', charge: '0.036' }],
    });
    expect(await sidesOf('calls', mine)).toMatchObject({ cost: '0.036', provider: '0.0036' });
    expect(await sidesOf('calls', others)).toMatchObject({ cost: '0.012', provider: '0.0036' });
  });

  test('lines that are priced later get their provider cost too, and receipts with all lines', async () => {
    const stage = new BatchStage(gateway);
    for (const id of [laterOwn, laterTheirs]) await gateway.admin('batches.requeue', { batch: id });
    const [own, theirs] = await Promise.all([laterOwn, laterTheirs].map((id) => stage.settled(id)));
    // The first line was billed in the currency of its time, which stays.
    expect(await billOf(laterOwn)).toEqual({
      units: '0.012',
      bills: [
        { ...eur, lines: 1, cost: '0.0072', charge: '0.006' },
        { ...usd, lines: 1, cost: '0.0024', charge: '0.006' },
      ],
    });
    expect(await billOf(laterTheirs)).toEqual({
      units: '0.01',
      bills: [{ ...eur, lines: 1, cost: '0.0045', charge: '0.01' }],
    });
    const [found] = (await stage.lines(theirs?.output_file_id ?? null)).values();
    const receipt = await receiptOf(found?.response?.request_id ?? '');
    expect(receipt).toMatchObject({ cost: '0.01', price_version: 'sides-2' });
    expect(receipt.usage.details).toEqual({ audio_input_tokens: 200 });
    expect(receipt.lines.map(({ component, count, amount }) => `${component} ${count} ${amount}`)).toEqual([
      ...['input 800 0.004', 'audio_input 200 0.005', 'output 100 0.001'],
    ]);
    const [turbo] = [...(await stage.lines(own?.output_file_id ?? null)).values()].slice(1);
    expect((await receiptOf(turbo?.response?.request_id ?? '')).usage.details).toEqual({ tier: 'turbo' });
  });

  test('a call that is priced by a correction gets its provider cost too', async () => {
    await gateway.admin('ledger.correct', { call: turboCall, amount: '0.024' });
    expect(await sidesOf('calls', turboCall)).toEqual({
      ...{ cost: null, provider: '0.0072', currency: 'EUR', version: 'bill-2' },
    });
    await gateway.admin('ledger.correct', { call: pictureCall, amount: '1' });
    // The size of a picture is not stored, and each has its own price.
    expect(await sidesOf('calls', pictureCall)).toMatchObject({ provider: null });
    // A known one stays as it is, whatever the correction.
    const known = await call('chat', 'plain');
    await gateway.admin('ledger.correct', { call: known, amount: '1' });
    expect(await sidesOf('calls', known)).toMatchObject({ cost: '0.012', provider: '0.0036' });
  });

  test('amounts in two currencies are never added up', async () => {
    await call('chat', 'moon');
    const { rows } = await gateway.admin('reports.providerDays', {
      ...{ provider: 'simulator', from: '2020-01-01T00:00:00Z', until: '2126-01-01T00:00:00Z' },
    });
    const sums = Map.groupBy(rows, ({ model, currency }) => `${model} ${currency}`);
    const shown = [...sums].map(([name, same]) => {
      const cost = printUnits(sumUnits(same.map((row) => parseUnits(row.cost))));
      const sum = (field: 'requests' | 'unknown'): number => same.reduce((all, row) => all + row[field], 0);
      return `${name}: ${sum('requests')} requests, ${sum('unknown')} unknown, ${cost}`;
    });
    expect(shown.sort()).toEqual([
      'sim-chat EUR: 10 requests, 0 unknown, 0.0405',
      'sim-chat USD: 7 requests, 0 unknown, 0.012',
      'sim-chat null: 1 requests, 1 unknown, 0',
      'sim-image null: 1 requests, 1 unknown, 0',
      'sim-video EUR: 1 requests, 0 unknown, 1.2',
      'sim-video USD: 2 requests, 0 unknown, 1.6',
      'sim-video null: 2 requests, 2 unknown, 0',
    ]);
    const margins = async (): Promise<string[]> => {
      const { rows: all } = await gateway.admin('reports.margin', { by: 'model' });
      return all
        .filter(({ name }) => name === 'later')
        .map(({ currency, requests, charge, cost }) => `${currency} ${requests} ${charge} ${cost}`);
    };
    expect(await margins()).toEqual(['EUR 2 0.03 0.0144', 'USD 1 0.006 0.0024']);
    // Bills from before the charge was part of them: it is counted once, with the first.
    await gateway.query(sql`
      update batches set provider_bills = provider_bills #- '{0,charge}' #- '{1,charge}' where id = ${laterOwn}`);
    expect(await margins()).toEqual(['EUR 2 0.036 0.0144', 'USD 1 0 0.0024']);
  });
});
