/** Every way in which a provider can fail, whole and streamed: the declared error, a row, no leak. */

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type FaultName, faultNames } from '../../simulator/faults.ts';
import { sql } from '../../src/database/sql.ts';
import { expectRefusal, refusalOf } from '../bad-input/bad-input-client.ts';
import { simulated, testConfig } from '../support/config.ts';
import { type Fate, fates, IDENTITY, OUR_HEADERS, SECRETS } from '../support/fault-fates.ts';
import { FaultGateways } from '../support/fault-gateways.ts';
import { PATIENCE } from '../support/patience.ts';

/** A model of ours has another name than the provider's, so that the latter would be seen. */
const ourName = (name: string, streams: boolean): string => `${streams ? 'stream' : 'whole'}-${name}`;

interface CallRow {
  readonly id: string;
  readonly outcome: string;
  readonly problem: string | null;
  readonly usage_source: string;
  readonly cost: string | null;
  readonly attempts: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
}

let gateways: FaultGateways;

beforeAll(async () => {
  const codes = faultNames.flatMap((name) =>
    [true, false].map((streams) => ({ code: ourName(name, streams), fault: `sim-fault-${name}` })),
  );
  const models = Object.fromEntries(codes.map(({ code, fault }) => [code, simulated(fault)]));
  const prices = Object.fromEntries(codes.map(({ code }) => [code, { input: 1, output: 2 }]));
  gateways = await FaultGateways.start((limits) => testConfig({ models, prices, limits }));
});
afterAll(() => gateways.stop());

describe.each([
  ['a stream', true],
  ['a whole answer', false],
])('a provider that spoils %s', (_, streams) => {
  test.each(Object.entries(fates))('by %s ends as declared', async (name, fate) => {
    const response = await ask(name, streams);
    const text = await response.text();
    const shown = `${text}${JSON.stringify([...response.headers])}`;
    expect(shown).not.toMatch(SECRETS);
    expect(shown).not.toMatch(IDENTITY);
    expect([...response.headers.keys()].filter((header) => !OUR_HEADERS.has(header))).toEqual([]);
    const ending = streams ? fate.stream : fate.whole;
    const row = await rowOf(response);
    if (ending === 'good') expectGood({ streams, response, text, row });
    else if (ending.startsWith('begun'))
      expectBegun({ code: ending.slice('begun '.length), response, text, row });
    else await expectStatus({ ending, response, text, row });
    expect(row.attempts).toBe(fate.attempts ?? 1);
    await expectNoneDangling(name, fate);
    expect((await ask('crlf', streams)).status).toBe(200);
  });
});

test('no secret of a provider has reached the log', () => {
  const seen = gateways.logged().filter((line) => SECRETS.test(line));
  expect(seen).toEqual([]);
  expect(gateways.logged().filter((line) => line.includes('a request broke'))).toEqual([]);
});

describe('usage that a provider does not tell, or tells wrongly', () => {
  test.each([true, false])('is counted and labelled (stream: %s)', async (streams) => {
    for (const name of ['missing-usage', 'absurd-usage']) {
      const row = await rowOf(await read(name, streams));
      expect(row).toMatchObject({ outcome: 'completed', usage_source: 'estimated' });
      expect(row.output_tokens).toBeGreaterThan(0);
      const units = (Number(row.input_tokens) + 2 * Number(row.output_tokens)) / 1e6;
      expect(Number(row.cost)).toBeCloseTo(units, 12);
    }
  });

  test.each([true, false])('is zero where it says zero (stream: %s)', async (streams) => {
    const row = await rowOf(await read('zero-usage', streams));
    expect(row).toMatchObject({ usage_source: 'provider', input_tokens: 0, output_tokens: 0 });
    expect(Number(row.cost)).toBe(0);
  });

  test('a whole answer shows the cost 0, not null', async () => {
    const response = await ask('zero-usage', false);
    expect(response.headers.get('x-tollgate-cost-units')).toBe('0');
    expect(await response.json()).toMatchObject({ estimated_cost: { amount: '0', currency: 'unit' } });
  });

  test('two usages in a stream are charged by the last one, once', async () => {
    const twice = await rowOf(await read('double-usage', true));
    const once = await rowOf(await read('finish-without-done', true));
    expect(twice.usage_source).toBe('provider');
    expect(twice.output_tokens).toBe(once.output_tokens);
    expect(twice.cost).toBe(once.cost);
  });
});

test('a provider at its limit says when to come back', async () => {
  const response = await ask('error-429', true);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(response.headers.get('retry-after-ms')).toBe('1000');
  expect(response.headers.get('x-should-retry')).toBe('true');
});

function ask(name: string, streams: boolean): Promise<Response> {
  const cue = fates[name as FaultName].cue ?? '';
  // Each form has a prompt of its own, because a fault may count the calls of a prompt.
  const content = `${streams ? 'Streamed.' : 'Whole.'} ${cue} Reply with exactly: one two three four five six seven eight`;
  const model = ourName(name, streams);
  return gateways.for(name).chat({
    model,
    messages: [{ role: 'user', content }],
    ...(streams && { stream: true, stream_options: { include_usage: true } }),
  });
}

async function read(name: string, streams: boolean): Promise<Response> {
  const response = await ask(name, streams);
  await response.clone().text();
  return response;
}

/** A failed call is recorded beside its answer, so its row may come a moment later. */
async function rowOf(response: Response): Promise<CallRow> {
  const id = response.headers.get('x-request-id') as string;
  return await vi.waitFor(async () => {
    const rows = await gateways.query<CallRow>(sql`select * from calls where id = ${id}`);
    expect(rows).toHaveLength(1);
    return rows[0] as CallRow;
  }, PATIENCE);
}

interface Ended {
  readonly response: Response;
  readonly text: string;
  readonly row: CallRow;
}

function expectGood({ streams, response, text, row }: Ended & { streams: boolean }): void {
  expect(response.status, text).toBe(200);
  expect(row).toMatchObject({ outcome: 'completed', problem: null });
  expect(row.cost).not.toBeNull();
  if (!streams) {
    expect(JSON.parse(text)).toMatchObject({ object: 'chat.completion' });
    return;
  }
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  const chunks = dataLines(text)
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const content = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
  expect(content).toContain('one two three four five six seven eight');
  expect(chunks.filter((chunk) => chunk.choices[0]?.finish_reason)).toHaveLength(1);
  expect(chunks.at(-1)).toMatchObject({ estimated_cost: { currency: 'unit' } });
}

/** The stream had begun: its last line is the error, and there is no end marker. */
function expectBegun({ code, response, text, row }: Ended & { code: string }): void {
  expect(response.status).toBe(200);
  expect(text).not.toContain('[DONE]');
  expect(text).not.toMatch(/"finish_reason":"/);
  const id = response.headers.get('x-request-id') as string;
  const last = JSON.parse(dataLines(text).at(-1) as string);
  expect(last).toMatchObject({ type: code, error_ref: id, error: { code, error_ref: id } });
  expect(row).toMatchObject({ outcome: 'partial', problem: code, usage_source: 'estimated' });
  expect(row.cost).not.toBeNull();
}

async function expectStatus({ ending, response, text, row }: Ended & { ending: string }): Promise<void> {
  const [status, type = ''] = ending.split(' ');
  const refusal = await refusalOf(new Response(text, { status: response.status, headers: response.headers }));
  expectRefusal(refusal, { status: Number(status), type, detail: /./ });
  expect(text).not.toContain('[DONE]');
  expect(row).toMatchObject({ outcome: 'failed', problem: type, usage_source: 'none', cost: null });
}

/** Every connection to the provider was used up or given back. */
async function expectNoneDangling(name: string, fate: Fate): Promise<void> {
  if (fate.cut) return;
  const { simulator } = gateways.for(name);
  const calls = simulator.calls.filter((call) => call.model === `sim-fault-${name}`);
  for (const { id } of calls) {
    await simulator.waitFor((call) => call.id === id && (call.finished || call.aborted));
  }
}

function dataLines(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
}
