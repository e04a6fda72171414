/**
 * A price that is dated ahead applies to calls that start, and batches that are submitted, at its instant or later. A
 * price with hours applies to those in its hours.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReceiptObject } from '../../src/contract/receipt.ts';
import { sql } from '../../src/database/sql.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const LINES = 100;
const answer = JSON.stringify({
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});

describe.each(engines)('a price with a date on %s', (engine) => {
  const clock = shiftedClock();
  const change = Math.floor((clock.now() + HOUR_MS) / MINUTE_MS) * MINUTE_MS;
  const utc = (at: number): string => new Date(at).toISOString().slice(11, 16);
  let gateway: TestGateway;
  let server: Server;
  /** Runs when a call has reached the provider, before that answers. */
  let onCall = (): void => undefined;

  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      request.on('end', () => {
        onCall();
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const config = `
providers: { fake: { dialect: openai, base_url: "http://127.0.0.1:${(server.address() as AddressInfo).port}/v1" } }
models:
  chat: { batch: true, routes: [{ provider: fake, model: m }] }
  timed: { batch: true, routes: [{ provider: fake, model: m }] }
provider_prices:
  version: bill
  currency: USD
  models: { fake/m: { input: 1, output: 10, when: [{ hours: HOURS, factor: 3 }] } }
prices:
  version: dated
  models:
    chat:
      - { input: 1, output: 10, batch_input: 1, batch_output: 10 }
      - { from: "${new Date(change).toISOString().replace('.000Z', 'Z')}", input: 2, output: 20, batch_input: 2, batch_output: 20 }
    timed: { input: 1, output: 10, when: [{ hours: HOURS, factor: 2 }, { batch: true, factor: 1 }] }
`.replaceAll('HOURS', `{ from: '${utc(change + HOUR_MS)}', to: '${utc(change + 2 * HOUR_MS)}' }`);
    gateway = await startGateway({ engine, config, clock });
  });
  afterAll(async () => {
    await gateway.stop();
    server.close();
  });

  async function get<Body>(path: string): Promise<Body> {
    const reply = await fetch(`${gateway.url}${path}`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    });
    return (await reply.json()) as Body;
  }
  async function call(model = 'chat'): Promise<ReceiptObject> {
    const reply = await gateway.chat({ model, messages: [{ role: 'user', content: 'Hi' }] });
    expect(reply.status).toBe(200);
    await reply.text();
    return get<ReceiptObject>(`/v1/receipts/${reply.headers.get('x-request-id')}`);
  }
  const prices = ({ lines }: ReceiptObject): string[] =>
    lines.map(({ component, price }) => `${component} ${price}`);
  const shown = async (): Promise<{ input?: string; valid_until?: string }> =>
    (await get<{ pricing: { input?: string; valid_until?: string } }>('/v1/models/chat')).pricing;

  test('applies to calls that start after it, without a reload; a call in progress and a batch keep the old one', async () => {
    const before = await call();
    expect(prices(before)).toEqual(['input 1', 'output 10']);
    const { input, valid_until: until } = await shown();
    expect([input, Date.parse(until ?? '')]).toEqual(['1', change]);

    const batches = new BatchStage(gateway);
    const lines = Array.from({ length: LINES }, (_, i) => chatLine(`line-${i}`, 'Hi', { model: 'chat' }));
    const submitted = await batches.submitted(lines);

    let shifted = false;
    onCall = () => {
      if (!shifted) clock.shift(HOUR_MS);
      shifted = true;
    };
    const during = await call();
    onCall = () => undefined;
    expect(prices(during)).toEqual(['input 1', 'output 10']);

    const after = await call();
    expect(prices(after)).toEqual(['input 2', 'output 20']);
    expect(after.price_version).toBe(before.price_version);
    expect(await shown()).toMatchObject({ input: '2' });
    expect((await shown()).valid_until).toBeUndefined();

    // Most of its lines run after the change.
    await batches.settled(submitted.id);
    const { units } = await gateway.admin('batches.get', { space: 'acme', batch: submitted.id });
    expect(units).toBe('0.006');
  });

  test('with hours applies to calls that start in them; a call in progress and a batch keep the price of their start', async () => {
    const billed = async ({ id }: ReceiptObject): Promise<string | undefined> => {
      const found = await gateway.query<{ cost: string }>(
        sql`select trim_scale(provider_cost)::text as cost from calls where id = ${id}`,
      );
      return found[0]?.cost;
    };
    const before = await call('timed');
    expect(prices(before)).toEqual(['input 1', 'output 10']);
    const batches = new BatchStage(gateway);
    const lines = Array.from({ length: LINES }, (_, i) => chatLine(`timed-${i}`, 'Hi', { model: 'timed' }));
    const submitted = await batches.submitted(lines);

    onCall = () => {
      clock.shift(change + HOUR_MS - clock.now());
      onCall = () => undefined;
    };
    const during = await call('timed');
    expect(prices(during)).toEqual(['input 1', 'output 10']);
    const within = await call('timed');
    expect(prices(within)).toEqual(['input 2', 'output 20']);
    clock.shift(change + 2 * HOUR_MS - clock.now());
    const after = await call('timed');
    expect(prices(after)).toEqual(['input 1', 'output 10']);
    const receipts = [before, during, within, after];
    expect(receipts.map(({ cost }) => cost)).toEqual(['0.00006', '0.00006', '0.00012', '0.00006']);
    expect(await Promise.all(receipts.map(billed))).toEqual(['0.00006', '0.00006', '0.00018', '0.00006']);

    await batches.settled(submitted.id);
    const { units } = await gateway.admin('batches.get', { space: 'acme', batch: submitted.id });
    expect(units).toBe('0.006');
  });
});
