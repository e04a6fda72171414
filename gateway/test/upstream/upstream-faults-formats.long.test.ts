/** Every way in which a provider can fail, in every format, relayed and translated. */

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type FaultName, faultNames } from '../../simulator/faults.ts';
import { sql } from '../../src/database/sql.ts';
import { simulated, testConfig } from '../support/config.ts';
import { type Ending, type Fate, fates, IDENTITY, OUR_HEADERS, SECRETS } from '../support/fault-fates.ts';
import { FaultGateways } from '../support/fault-gateways.ts';
import type { TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

type Format = 'chat' | 'responses' | 'messages';

interface Pair {
  readonly format: Format;
  readonly dialect: string;
  /** Where a protocol makes something else of a fault than chat does. */
  readonly other?: Partial<Record<FaultName, Partial<Pick<Fate, 'stream' | 'whole'>>>>;
}

/** A protocol without an end marker cannot have it come first. */
const noMarker = { stream: 'good' } as const;
/** The error that these providers send amid a stream says more than that something failed. */
const overloaded = { stream: 'begun upstream_unavailable' } as const;
/** A frame without words is no part of a translation, so the stream had not begun. */
const nothingSaid = { stream: '502 upstream_error' } as const;

/** Each format as its provider speaks it, and as a translation of another. */
const pairs: readonly Pair[] = [
  { format: 'responses', dialect: 'openai', other: { 'done-first': noMarker } },
  { format: 'messages', dialect: 'anthropic', other: { 'error-in-stream': overloaded } },
  {
    format: 'chat',
    dialect: 'anthropic',
    other: { 'error-in-stream': overloaded, 'huge-line': nothingSaid },
  },
  {
    format: 'responses',
    dialect: 'google',
    other: {
      'error-in-stream': overloaded,
      'done-first': noMarker,
      // There it is a 400 like others.
      'error-413': { stream: '400 invalid_parameter', whole: '400 invalid_parameter' },
    },
  },
  { format: 'messages', dialect: 'openai', other: { 'huge-line': nothingSaid } },
];

const providers = `  anthropic: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, api_key: simulator-key, simulated: true }
  google: { dialect: google, base_url: SIMULATOR_ORIGIN/v1beta, api_key: simulator-key, simulated: true }`;
/** The names of our models do not reveal the provider. */
const modelOf = (pair: Pair, name: string, streams: boolean): string =>
  `${pair.format}-${pairs.indexOf(pair)}-${streams ? 'stream' : 'whole'}-${name}`;

let gateways: FaultGateways;

beforeAll(async () => {
  const names = pairs.flatMap((pair) =>
    faultNames.flatMap((name) =>
      [true, false].map((streams) => ({ pair, name, code: modelOf(pair, name, streams) })),
    ),
  );
  const models = names.map(({ pair, name, code }) => {
    const provider = pair.dialect === 'openai' ? 'simulator' : pair.dialect;
    return [code, simulated(`sim-fault-${name}`, provider)];
  });
  const prices = names.map(({ code }) => [code, { input: 1, output: 2 }]);
  gateways = await FaultGateways.start((limits) =>
    testConfig({
      ...{ providers, limits },
      models: Object.fromEntries(models),
      prices: Object.fromEntries(prices),
    }),
  );
});
afterAll(() => gateways.stop());

describe.each(pairs)('$format on $dialect', (pair) => {
  describe.each([true, false])('streamed: %s', (streams) => {
    test.concurrent.each(Object.entries(fates))(
      'a provider that spoils its answer by %s ends as declared',
      async (name, fate) => {
        const response = await ask(pair, name, streams);
        const text = await response.text();
        const shown = `${text}${JSON.stringify([...response.headers])}`;
        expect(shown).not.toMatch(SECRETS);
        expect(shown).not.toMatch(IDENTITY);
        expect([...response.headers.keys()].filter((header) => !OUR_HEADERS.has(header))).toEqual([]);
        const row = await rowOf(response);
        const ended = endOf(pair.format, { streams, response, text });
        const expected = { ...fate, ...pair.other?.[name as FaultName] }[streams ? 'stream' : 'whole'];
        expect(ended, text.slice(-600)).toBe(expected);
        expectRow(row, expected);
        await expectNoneDangling(gateways.for(name), modelOf(pair, name, streams), fate);
      },
    );
  });

  test('answers well after all of it', async () => {
    for (const streams of [true, false]) {
      const response = await ask(pair, 'crlf', streams);
      expect(endOf(pair.format, { streams, response, text: await response.text() })).toBe('good');
    }
  });
});

test('no secret of a provider has reached the log, and nothing broke', () => {
  expect(gateways.logged().filter((line) => SECRETS.test(line))).toEqual([]);
  expect(gateways.logged().filter((line) => line.includes('a request broke'))).toEqual([]);
});

interface CallRow {
  readonly outcome: string;
  readonly problem: string | null;
  readonly usage_source: string;
  readonly cost: string | null;
}

function ask(pair: Pair, name: string, streams: boolean): Promise<Response> {
  const cue = fates[name as FaultName].cue ?? '';
  const words = 'Reply with exactly: one two three four five six seven eight';
  // A fault may count the calls of a prompt, so each has its own.
  const content = `${pair.format} ${pairs.indexOf(pair)} ${streams} ${cue} ${words}`;
  const common = { model: modelOf(pair, name, streams), ...(streams && { stream: true }) };
  const messages = [{ role: 'user', content }];
  const gateway = gateways.for(name);
  switch (pair.format) {
    case 'chat':
      return gateway.chat({
        ...common,
        messages,
        ...(streams && { stream_options: { include_usage: true } }),
      });
    case 'responses':
      return gateway.post('/v1/responses', { ...common, input: content });
    case 'messages':
      return gateway.post(
        '/v1/messages',
        { ...common, messages, max_tokens: 500 },
        { 'anthropic-version': '2023-06-01' },
      );
  }
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

/** How an answer ended, in the words of the table; what fits none of them is shown as it is. */
function endOf(
  format: Format,
  reply: { streams: boolean; response: Response; text: string },
): Ending | string {
  const { streams, response, text } = reply;
  const id = response.headers.get('x-request-id');
  if (response.status !== 200) {
    const body = JSON.parse(text) as { type: string; error_ref: string; error: { code: string } };
    expect(body.error_ref).toBe(id);
    expect(body.error.code).toBe(body.type);
    return `${response.status} ${body.type}`;
  }
  if (!streams) return JSON.parse(text).estimated_cost === undefined ? `no cost: ${text}` : 'good';
  const events = text.split('\n\n').filter((event) => event !== '' && !event.startsWith(':'));
  const last = events.at(-1) ?? '';
  const ends = events.filter((event) => isEnd[format].test(event));
  if (ends.length === 1 && ends[0] === last && text.includes('"estimated_cost"')) return 'good';
  const failure = JSON.parse(last.slice(last.indexOf('data: ') + 6)) as {
    error_ref?: string;
    error?: { code?: string };
  };
  expect(failure.error_ref).toBe(id);
  expect(ends).toEqual([]);
  expect(last).toMatch(isFailure[format]);
  return `begun ${failure.error?.code}`;
}

const isEnd: Record<Format, RegExp> = {
  chat: /^data: \[DONE\]$/,
  responses: /^event: response\.(completed|incomplete)\n/,
  messages: /^event: message_stop\n/,
};
const isFailure: Record<Format, RegExp> = {
  chat: /^data: \{"type":/,
  responses: /^event: response\.failed\n/,
  messages: /^event: error\n/,
};

function expectRow(row: CallRow, ending: Ending): void {
  if (ending === 'good') {
    expect(row).toMatchObject({ outcome: 'completed', problem: null });
    expect(row.cost).not.toBeNull();
  } else if (ending.startsWith('begun')) {
    expect(row).toMatchObject({ outcome: 'partial', problem: ending.split(' ')[1] });
    expect(row.cost).not.toBeNull();
  } else {
    expect(row).toMatchObject({
      outcome: 'failed',
      problem: ending.split(' ')[1],
      usage_source: 'none',
      cost: null,
    });
  }
}

/** Every connection to the provider was used up or given back. */
async function expectNoneDangling({ simulator }: TestGateway, model: string, fate: Fate): Promise<void> {
  if (fate.cut) return;
  const name = model.replace(/^.*-(?:stream|whole)-/, 'sim-fault-');
  for (const { id } of simulator.calls.filter(
    (call) => call.model === name && call.text.includes(model.split('-')[0] as string),
  )) {
    await simulator.waitFor((call) => call.id === id && (call.finished || call.aborted));
  }
}
