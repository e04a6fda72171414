import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { multiplyUnits, parseUnits, printUnits, sumUnits, type Units } from '../kernel/units.ts';
import { batchPrice, type ModelPrice, priceAt, type TokenPrices } from './model-price.ts';
import { type Charge, missingPrices, priceUsage } from './price.ts';
import { plausibleUsage, type Usage, type UsageDetails } from './usage.ts';

const units = (amounts: Record<string, string>): TokenPrices =>
  Object.fromEntries(Object.entries(amounts).map(([name, text]) => [name, parseUnits(text)]));

const plain: ModelPrice = {
  tokens: units({ input: '2.5', cached_input: '0.25', cache_write: '3.125', output: '10' }),
  rules: [],
};

/** `component count price amount` of each line. */
const shown = (charge: Charge | null): string[] | undefined =>
  charge?.lines.map(({ component, count, price, amount }) =>
    [component, count, printUnits(price), printUnits(amount)].join(' '),
  );
const total = (charge: Charge | null): string | null => charge && printUnits(charge.total);

const usage: Usage = {
  inputTokens: 1_000,
  cachedInputTokens: 600,
  cacheWriteTokens: 100,
  outputTokens: 50,
  reasoningTokens: 20,
};

const tokens = fc.nat({ max: 10_000_000 });
const anyUsage = fc.tuple(tokens, tokens, tokens, tokens, tokens).map(
  ([plain, cached, written, said, thought]): Usage => ({
    inputTokens: plain + cached + written,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    outputTokens: said + thought,
    reasoningTokens: thought,
  }),
);

describe('pricing', () => {
  test('each component is priced by its own price, and the lines add up to the total', () => {
    const charge = priceUsage(usage, plain);
    expect(charge?.lines.map((line) => [line.component, line.count, printUnits(line.amount)])).toEqual([
      ['input', 300, '0.00075'],
      ['cached_input', 600, '0.00015'],
      ['cache_write', 100, '0.0003125'],
      ['output', 30, '0.0003'],
      ['reasoning', 20, '0.0002'],
    ]);
    expect(charge && printUnits(charge.total)).toBe('0.0017125');
  });

  test('for any usage the lines add up to the total and their counts to the tokens', () => {
    fc.assert(
      fc.property(anyUsage, (used) => {
        const charge = priceUsage(used, plain);
        if (charge === null) throw new Error('unpriced');
        expect(charge.total).toBe(sumUnits(charge.lines.map((line) => line.amount)));
        const counted = charge.lines.reduce((sum, line) => sum + line.count, 0);
        expect(counted).toBe(used.inputTokens + used.outputTokens);
      }),
    );
  });

  test('without a price for everything that was used the cost is unknown, never zero', () => {
    expect(priceUsage(usage, null)).toBeNull();
    expect(priceUsage(usage, { tokens: units({ input: '1' }), rules: [] })).toBeNull();
  });

  test('zero usage costs exactly zero', () => {
    const none = {
      inputTokens: 0,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
      reasoningTokens: 0,
    };
    expect(priceUsage(none, plain)).toEqual({ total: 0n, lines: [] });
  });

  test('cached tokens without their own price cost the same as input', () => {
    const charge = priceUsage(
      { ...usage, cacheWriteTokens: 0 },
      { tokens: units({ input: '2', output: '0' }), rules: [] },
    );
    expect(charge && printUnits(charge.total)).toBe('0.002');
  });

  test.each([
    ['negative', { inputTokens: -1 }],
    ['fractional', { outputTokens: 1.5 }],
    ['infinite', { inputTokens: Number.POSITIVE_INFINITY }],
    ['absurd', { outputTokens: 1e30 }],
    ['text', { inputTokens: '5' as unknown as number }],
    ['more cached than sent', { cachedInputTokens: 2_000 }],
    ['more reasoning than output', { reasoningTokens: 51 }],
    ['more images than input', { details: { imageInputTokens: 1_001 } }],
    ['more cached images than images', { details: { imageInputTokens: 5, cachedImageInputTokens: 6 } }],
    ['more audio than output', { details: { audioOutputTokens: 31 } }],
    ['more written for an hour than written', { details: { cacheWrites: { '1h': 101 } } }],
    ['half a search', { details: { tools: { web_search: 0.5 } } }],
  ])('a count of %s tokens is rejected as a mistake of the provider', (_, wrong) => {
    expect(plausibleUsage({ ...usage, ...wrong })).toBe(false);
  });
});

/** The arithmetic of calls without details, written a second time. */
function flatCharge(used: Usage, prices: TokenPrices): Units {
  const line = (count: number, each: Units): Units => multiplyUnits(each, { count, per: 1_000_000 });
  const { input = 0n as Units, output = 0n as Units } = prices;
  const { cached_input = input, cache_write = input } = prices;
  return sumUnits([
    line(used.inputTokens - used.cachedInputTokens - used.cacheWriteTokens, input),
    line(used.cachedInputTokens, cached_input),
    line(used.cacheWriteTokens, cache_write),
    line(used.outputTokens - used.reasoningTokens, output),
    line(used.reasoningTokens, output),
  ]);
}

describe('a call without details', () => {
  test('costs the sum of its components, whatever rules the sheet has for other calls', () => {
    const ruled: ModelPrice = {
      ...plain,
      request: 0n as Units,
      rules: [
        { tier: 'flex', factor: parseUnits('0.5') },
        { batch: true, factor: parseUnits('0.5') },
        { contextAbove: 1_000_000_000, factor: parseUnits('2') },
      ],
    };
    fc.assert(
      fc.property(anyUsage, (used) => {
        expect(priceUsage(used, plain)?.total).toBe(flatCharge(used, plain.tokens));
        expect(priceUsage(used, ruled)?.total).toBe(flatCharge(used, plain.tokens));
      }),
    );
  });
});

const anyDetails = fc.record({
  image: tokens,
  audio: tokens,
  cachedImage: tokens,
  cachedAudio: tokens,
  write5m: tokens,
  write1h: tokens,
  madeImage: tokens,
  madeAudio: tokens,
  searches: fc.nat({ max: 50 }),
});

describe('a call with details', () => {
  const all = units({
    ...{ input: '2', cached_input: '0.2', image_input: '3', cached_image_input: '0.3' },
    ...{ audio_input: '4', cached_audio_input: '0.4', cache_write_5m: '2.5', cache_write_1h: '4' },
    ...{ cache_write: '2.2', output: '8', reasoning: '9', image_output: '30', audio_output: '60' },
  });
  const price: ModelPrice = {
    ...{ tokens: all, tools: new Map([['web_search', parseUnits('10')]]), request: parseUnits('0.001') },
    rules: [
      { contextAbove: 5_000_000, factor: parseUnits('2') },
      { contextAbove: 20_000_000, marginal: true, amounts: units({ input: '77' }) },
      { contextAbove: 30_000_000, marginal: true, factor: parseUnits('1.5') },
    ],
  };

  test('has lines that add up to the total, and to its tokens', () => {
    fc.assert(
      fc.property(anyUsage, anyDetails, (used, parts) => {
        const usage: Usage = {
          inputTokens:
            used.inputTokens +
            parts.image +
            parts.audio +
            parts.cachedImage +
            parts.cachedAudio +
            parts.write5m +
            parts.write1h,
          cachedInputTokens: used.cachedInputTokens + parts.cachedImage + parts.cachedAudio,
          cacheWriteTokens: used.cacheWriteTokens + parts.write5m + parts.write1h,
          outputTokens: used.outputTokens + parts.madeImage + parts.madeAudio,
          reasoningTokens: used.reasoningTokens,
          details: {
            imageInputTokens: parts.image + parts.cachedImage,
            audioInputTokens: parts.audio + parts.cachedAudio,
            cachedImageInputTokens: parts.cachedImage,
            cachedAudioInputTokens: parts.cachedAudio,
            cacheWrites: { '5m': parts.write5m, '1h': parts.write1h },
            imageOutputTokens: parts.madeImage,
            audioOutputTokens: parts.madeAudio,
            tools: { web_search: parts.searches },
          },
        };
        expect(plausibleUsage(usage)).toBe(true);
        const charge = priceUsage(usage, price) as Charge;
        expect(charge.total).toBe(sumUnits(charge.lines.map((line) => line.amount)));
        const tokenLines = charge.lines.filter(({ component }) => !/^(tool|request)/.test(component));
        const counted = tokenLines.reduce((sum, line) => sum + line.count, 0);
        expect(counted).toBe(usage.inputTokens + usage.outputTokens);
        expect(charge.lines.every(({ count }) => count > 0)).toBe(true);
      }),
    );
  });

  const withDetails = (details: UsageDetails, counts: Partial<Usage> = {}): Usage => ({
    ...usage,
    ...counts,
    details,
  });

  test('prices written tokens by their lifetime, and those without a price of their own as cache_write', () => {
    const { cache_write_5m: _, ...without } = all;
    const written = withDetails({ cacheWrites: { '5m': 40, '1h': 60 } });
    expect(shown(priceUsage(written, { ...price, tokens: all }))).toContain('cache_write_1h 60 4 0.00024');
    expect(shown(priceUsage(written, { ...price, tokens: all }))).toContain('cache_write_5m 40 2.5 0.0001');
    expect(shown(priceUsage(written, { ...price, tokens: without }))).toContain(
      'cache_write 40 2.2 0.000088',
    );
  });

  test('is unpriced if tokens were written for a lifetime that has no price, but another one has', () => {
    const tokens = units({ input: '2', output: '8', cache_write_5m: '2.5' });
    expect(missingPrices(withDetails({ cacheWrites: { '1h': 100 } }), { tokens, rules: [] })).toEqual([
      'cache_write',
    ]);
    expect(missingPrices(withDetails({ cacheWrites: { '5m': 100 } }), { tokens, rules: [] })).toEqual([]);
  });

  test('is unpriced without a price for audio, and for cached audio', () => {
    const heard = withDetails({ audioInputTokens: 50, audioOutputTokens: 5 });
    expect(missingPrices(heard, plain)).toEqual(['audio_input', 'audio_output']);
    const cached = withDetails({ audioInputTokens: 50, cachedAudioInputTokens: 50 });
    expect(missingPrices(cached, plain)).toEqual(['cached_audio_input']);
  });

  test('has image tokens that cost what text costs if they have no price', () => {
    const seen = withDetails({ imageInputTokens: 100, imageOutputTokens: 10 });
    expect(total(priceUsage(seen, plain))).toBe(total(priceUsage(usage, plain)));
  });

  test('has image tokens that do not fit into the rest of the prompt, which were therefore cached', () => {
    expect(shown(priceUsage(withDetails({ imageInputTokens: 500 }), price))).toEqual([
      'image_input 300 3 0.0009',
      'cached_input 400 0.2 0.00008',
      'cached_image_input 200 0.3 0.00006',
      'cache_write 100 2.2 0.00022',
      'output 30 8 0.00024',
      'reasoning 20 9 0.00018',
      'request 1 0.001 0.001',
    ]);
  });

  test('pays for tools by the thousand, and is unpriced if a tool has no price', () => {
    expect(shown(priceUsage(withDetails({ tools: { web_search: 3 } }), price))).toContain(
      'tool.web_search 3 10 0.03',
    );
    const others = withDetails({ tools: { web_search: 1, file_search: 2 } });
    expect(missingPrices(others, price)).toEqual(['tool.file_search']);
    expect(priceUsage(withDetails({ tools: { file_search: 0 } }), price)).not.toBeNull();
  });

  test('pays for grounding by the prompt or by the query, whichever has a price', () => {
    const grounded = withDetails({ tools: { google_search_prompt: 1, google_search_query: 4 } });
    const by = (kind: string): ModelPrice => ({ ...plain, tools: new Map([[kind, parseUnits('14')]]) });
    expect(shown(priceUsage(grounded, by('google_search_prompt')))).toContain(
      'tool.google_search_prompt 1 14 0.014',
    );
    expect(shown(priceUsage(grounded, by('google_search_query')))).toContain(
      'tool.google_search_query 4 14 0.056',
    );
    expect(missingPrices(grounded, plain)).toHaveLength(2);
  });

  test('is unpriced if the provider counted something that has no meaning here', () => {
    expect(missingPrices(withDetails({ unknown: { 'prompt_tokens_details.foo': 3 } }), plain)).toEqual([
      'usage:prompt_tokens_details.foo',
    ]);
  });
});

describe('rules', () => {
  const long = { ...usage, inputTokens: 1_001 };

  test('for a context apply to all tokens of a longer call, and not at the threshold itself', () => {
    const price: ModelPrice = {
      ...plain,
      rules: [
        {
          contextAbove: 1_000,
          factors: units({ input: '2', cached_input: '2', cache_write: '2', output: '1.5' }),
        },
      ],
    };
    expect(total(priceUsage(usage, price))).toBe('0.0017125');
    expect(shown(priceUsage(long, price))).toEqual([
      'input 301 5 0.001505',
      'cached_input 600 0.5 0.0003',
      'cache_write 100 6.25 0.000625',
      'output 30 15 0.00045',
      'reasoning 20 15 0.0003',
    ]);
  });

  test('of the same call multiply each other, and are rounded once', () => {
    const price: ModelPrice = {
      tokens: units({ input: '0.000000000003', output: '1' }),
      rules: [
        { tier: 'flex', factor: parseUnits('0.5') },
        { geo: 'us', factor: parseUnits('1.5') },
        { contextAbove: 1_000, factor: parseUnits('2') },
      ],
    };
    const charge = priceUsage({ ...long, details: { tier: 'flex', geo: 'us' } }, price);
    // 3 × 0.5 × 1.5 × 2 = 4.5, half to even; rounded after each factor it would be 6.
    expect(printUnits(charge?.lines[0]?.price as Units)).toBe('0.000000000004');
  });

  test('that are marginal apply to the input above the threshold, after what was cached and written', () => {
    const price: ModelPrice = {
      ...plain,
      rules: [{ contextAbove: 800, marginal: true, factor: parseUnits('2') }],
    };
    expect(shown(priceUsage(usage, price))).toEqual([
      'cached_input 600 0.25 0.00015',
      'cache_write 100 3.125 0.0003125',
      'input 100 2.5 0.00025',
      'input 200 5 0.001',
      'output 30 10 0.0003',
      'reasoning 20 10 0.0002',
    ]);
  });

  test('name tiers and regions; a call in one that no rule names is unpriced', () => {
    const price: ModelPrice = {
      ...plain,
      rules: [
        { tier: 'priority', factor: parseUnits('2') },
        { tier: 'fast', contextAbove: 5_000, factor: parseUnits('6') },
        { geo: 'us', factor: parseUnits('1.1') },
      ],
    };
    const served = (details: UsageDetails) => missingPrices({ ...usage, details }, price);
    expect(total(priceUsage({ ...usage, details: { tier: 'priority', geo: 'us' } }, price))).toBe(
      '0.0037675',
    );
    expect(served({ tier: 'flex' })).toEqual(['tier:flex']);
    expect(served({ tier: 'fast' })).toEqual(['tier:fast']);
    expect(served({ geo: 'eu' })).toEqual(['geo:eu']);
  });

  test('change tools and the price of a request only if they name them', () => {
    const price: ModelPrice = {
      ...{ ...plain, request: parseUnits('1'), tools: new Map([['web_search', parseUnits('10')]]) },
      rules: [
        { tier: 'flex', factor: parseUnits('0.5') },
        { tier: 'priority', request: parseUnits('3'), tools: new Map([['web_search', parseUnits('20')]]) },
      ],
    };
    const lines = (tier: string) =>
      shown(priceUsage({ ...usage, details: { tier, tools: { web_search: 1 } } }, price))?.slice(-2);
    expect(lines('flex')).toEqual(['request 1 1 1', 'tool.web_search 1 10 0.01']);
    expect(lines('priority')).toEqual(['request 1 3 3', 'tool.web_search 1 20 0.02']);
  });

  test('with dates hold for calls that start then or later', () => {
    const later: ModelPrice = { ...plain, rules: [] };
    const prices = [
      { from: null, price: plain },
      { from: 1_000, price: later },
    ];
    expect(priceAt(prices, 999)).toBe(plain);
    expect(priceAt(prices, 1_000)).toBe(later);
    expect(priceAt([{ from: 1_000, price: later }], 999)).toBeNull();
    expect(priceAt([], 0)).toBeNull();
  });
});

describe('batch prices', () => {
  const both: ModelPrice = {
    ...plain,
    rules: [{ batch: true, exclusive: true, amounts: units({ input: '1.25', output: '5' }) }],
  };

  test('price every token of a line, including cached and reasoning tokens', () => {
    expect(shown(priceUsage(usage, batchPrice(both)))).toEqual([
      'input 300 1.25 0.000375',
      'cached_input 600 1.25 0.00075',
      'cache_write 100 1.25 0.000125',
      'output 30 5 0.00015',
      'reasoning 20 5 0.0001',
    ]);
    expect(total(priceUsage(usage, both))).toBe('0.0017125');
  });

  test('can be a factor, of which single prices are excluded', () => {
    const price: ModelPrice = {
      ...plain,
      rules: [{ batch: true, factor: parseUnits('0.5'), same: new Set(['cached_input'] as const) }],
    };
    expect(shown(priceUsage(usage, batchPrice(price)))?.slice(0, 3)).toEqual([
      'input 300 1.25 0.000375',
      'cached_input 600 0.25 0.00015',
      'cache_write 100 1.5625 0.00015625',
    ]);
  });

  test('hold whatever tier an answer names', () => {
    const served = { ...usage, details: { tier: 'flex' } };
    expect(total(priceUsage(served, batchPrice(both)))).toBe('0.0015');
  });

  test('that are missing make the cost unknown: neither the prices of calls nor zero are used', () => {
    expect(missingPrices(usage, batchPrice(plain))).toEqual(['batch']);
    const half = { batch: true, exclusive: true, amounts: units({ input: '1' }) };
    expect(priceUsage(usage, batchPrice({ ...plain, rules: [half] }))).toBeNull();
    expect(batchPrice(null)).toBeNull();
  });
});
