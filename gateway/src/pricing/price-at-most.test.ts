import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inputComponents, tokenComponents } from '../contract/price-components.ts';
import { parseUnits, printUnits, type Units, ZERO } from '../kernel/units.ts';
import { multiplied } from './markup.ts';
import { batchPrice, type ModelPrice, type PriceRule, type TokenPrices } from './model-price.ts';
import { type MayServe, priceAtMost, SERVED_ANYWHERE } from './price-at-most.ts';
import { priceOrProvisional } from './unpriced.ts';
import { cacheLifetimes, NO_TOKENS, plausibleUsage, type Usage } from './usage.ts';

const units = (amounts: Record<string, string>): TokenPrices =>
  Object.fromEntries(Object.entries(amounts).map(([name, text]) => [name, parseUnits(text)]));
const tools = (amounts: Record<string, string>) =>
  new Map(Object.entries(amounts).map(([kind, text]) => [kind, parseUnits(text)]));
const NOWHERE: MayServe = { tiers: [], anyTier: false, fast: false, geos: [], anyGeo: false };

const sheet: ModelPrice = {
  tokens: units({ input: '2', cached_input: '0.2', cache_write_1h: '4', output: '10', reasoning: '12' }),
  request: parseUnits('0.001'),
  tools: tools({ web_search: '10' }),
  images: new Map([
    ['1024x1024/low', parseUnits('0.01')],
    ['default', parseUnits('0.25')],
  ]),
  rules: [
    { contextAbove: 1_000, factors: units({ input: '3', output: '2' }) },
    { tier: 'flex', factor: parseUnits('0.5') },
    { tier: 'priority', factor: parseUnits('2') },
    { tier: 'fast', factor: parseUnits('6') },
    { geo: 'us', factor: parseUnits('1.1'), tools: tools({ web_search: '20' }) },
  ],
};

function atMost(counts: Partial<Parameters<typeof priceAtMost>[1]>, serve = NOWHERE, price = sheet): string {
  return printUnits(priceAtMost(price, { inputTokens: 0, outputTokens: 0, ...counts }, serve));
}

describe('the highest price', () => {
  test('is that of the most expensive kind of input and of output', () => {
    expect(atMost({ inputTokens: 1_000 })).toBe('0.005');
    expect(atMost({ outputTokens: 1_000 })).toBe('0.013');
    expect(atMost({})).toBe('0.001');
  });

  test('is that of every length that the context can have', () => {
    expect(atMost({ inputTokens: 1_001 })).toBe('0.007006');
    const cheaper = { ...sheet, rules: [{ contextAbove: 1_000, factor: parseUnits('0.5') }] };
    expect(atMost({ inputTokens: 1_001 }, NOWHERE, cheaper)).toBe('0.005004');
  });

  test.each<[string, Partial<MayServe>, string]>([
    ['no tier', {}, '0.005'],
    ['a cheaper one that may be refused', { tiers: ['flex'] }, '0.005'],
    ['a dearer one', { tiers: ['priority'] }, '0.009'],
    ['one without a price', { tiers: ['turbo'] }, '0.005'],
    ['any tier, not a speed', { anyTier: true }, '0.009'],
    ['any tier and a speed', { anyTier: true, fast: true }, '0.025'],
    ['a region', { geos: ['us'] }, '0.0054'],
    ['any region and tier', { anyTier: true, anyGeo: true }, '0.0098'],
  ])('with %s', (_, serve, expected) => {
    expect(atMost({ inputTokens: 1_000 }, { ...NOWHERE, ...serve })).toBe(expected);
  });

  test('counts each call of a tool, at the price of the region', () => {
    expect(atMost({ tools: { web_search: 5, free: 100 } })).toBe('0.051');
    expect(atMost({ tools: { web_search: 5 } }, SERVED_ANYWHERE)).toBe('0.101');
  });

  test('of images is that of the kind that was chosen in full, else of the most expensive kind', () => {
    const perImage = { ...sheet, tokens: {}, rules: [] };
    const low = { size: '1024x1024', quality: 'low' };
    expect(atMost({ images: 3, image: low }, NOWHERE, perImage)).toBe('0.031');
    expect(atMost({ images: 3, image: { ...low, quality: null } }, NOWHERE, perImage)).toBe('0.751');
    expect(atMost({ images: 3 }, NOWHERE, multiplied(perImage, parseUnits('2')))).toBe('1.502');
    // By tokens, if these cost more.
    expect(atMost({ images: 1, image: low, outputTokens: 10_000 })).toBe('0.121');
  });

  test('has room for the rounding of each line', () => {
    const tiny = { tokens: units({ input: '0.0000015', output: '0.0000015' }), rules: [] };
    const { charge } = priceOrProvisional({ ...NO_TOKENS, inputTokens: 1, outputTokens: 1 }, tiny);
    expect(charge && printUnits(charge.total)).toBe('0.000000000004');
    const counts = { inputTokens: 1, outputTokens: 1 };
    expect(priceAtMost(tiny, counts, NOWHERE)).toBeGreaterThanOrEqual(charge?.total ?? ZERO);
  });

  test('of a free model is nothing', () => {
    const free = { tokens: units({ input: '0', output: '0' }), rules: [] };
    expect(atMost({ inputTokens: 5_000_000, outputTokens: 10 }, SERVED_ANYWHERE, free)).toBe('0');
  });
});

/** Prices that need rounding and prices that do not. */
const amount = fc.bigInt({ min: 0n, max: 9_000_000_000_001n }).map((pico) => pico as Units);
const factor = fc.constantFrom('0.5', '1.1', '2', '0.333333333333').map(parseUnits);
const someOf = (names: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...names), amount, { maxKeys: 5 }) as fc.Arbitrary<TokenPrices>;
const toolSheet = fc
  .dictionary(fc.constantFrom('search', 'code'), amount)
  .map((each) => new Map(Object.entries(each)));
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const rule: fc.Arbitrary<PriceRule> = fc
  .record({
    contextAbove: optional(fc.constantFrom(10, 500, 20_000)),
    marginal: optional(fc.boolean()),
    tier: optional(fc.constantFrom('flex', 'priority', 'fast')),
    geo: optional(fc.constantFrom('us', 'eu')),
    batch: optional(fc.boolean()),
    factor: optional(factor),
    amounts: optional(someOf(tokenComponents)),
    tools: optional(toolSheet),
    request: optional(amount),
    exclusive: optional(fc.constant(true)),
  })
  .map(({ marginal, amounts, ...rest }) => {
    const isMarginal = marginal && rest.contextAbove !== undefined;
    const input = Object.fromEntries(
      Object.entries(amounts ?? {}).filter(([name]) => inputComponents.some((known) => known === name)),
    );
    const all = { ...rest, ...(isMarginal && { marginal }), amounts: isMarginal ? input : amounts };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as PriceRule;
  });
const price: fc.Arbitrary<ModelPrice> = fc
  .record({
    tokens: someOf(tokenComponents),
    request: fc.option(amount, { nil: ZERO }),
    tools: toolSheet,
    images: fc.dictionary(fc.constantFrom('small/low', 'small', 'high', 'default'), amount),
    rules: fc.array(rule, { maxLength: 5 }),
    markup: fc.option(factor, { nil: null }),
    isBatch: fc.boolean(),
  })
  .map(({ images, markup, isBatch, ...sheetOf }) => {
    const made = { ...sheetOf, images: new Map(Object.entries(images)) };
    const marked = markup === null ? made : multiplied(made, markup);
    return isBatch ? batchPrice(marked) : marked;
  });

const tokenCount = fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 30_000 }));
const tool = fc.nat({ max: 4 });
const usage: fc.Arbitrary<Usage> = fc
  .record({
    parts: fc.array(tokenCount, { minLength: 11, maxLength: 11 }),
    images: fc.nat({ max: 3 }),
    lifetime: fc.constantFrom(...cacheLifetimes),
    tier: optional(fc.constantFrom('flex', 'priority', 'fast', 'turbo')),
    geo: optional(fc.constantFrom('us', 'eu', 'moon')),
    search: tool,
    code: tool,
    unknown: fc.boolean(),
    shorter: fc.boolean(),
  })
  .map(({ parts, images, lifetime, tier, geo, search, code, unknown, shorter }) => {
    const [plain = 0, cached = 0, written = 0, image = 0, audio = 0, cachedImage = 0, cachedAudio = 0] =
      parts;
    const [said = 0, thought = 0, drawn = 0, spoken = 0] = parts.slice(7);
    const inputTokens = plain + cached + written + image + audio + cachedImage + cachedAudio;
    return {
      inputTokens,
      cachedInputTokens: cached + cachedImage + cachedAudio,
      cacheWriteTokens: written,
      outputTokens: said + thought + drawn + spoken,
      reasoningTokens: thought,
      images,
      details: {
        ...{ imageInputTokens: image + cachedImage, audioInputTokens: audio + cachedAudio },
        ...{ cachedImageInputTokens: cachedImage, cachedAudioInputTokens: cachedAudio },
        ...{ imageOutputTokens: drawn, audioOutputTokens: spoken },
        cacheWrites: { [lifetime]: Math.floor(written / 2) },
        tools: { search, code },
        ...(tier !== undefined && { tier }),
        ...(geo !== undefined && { geo }),
        ...(shorter && { contextTokens: Math.floor(inputTokens / 2) }),
        ...(unknown && { unknown: { songs: 1 } }),
      },
    };
  });

test('no usage within the counts costs more, or counts for more without a price', () => {
  const kind = fc.record({
    size: fc.constantFrom(null, 'small', 'huge'),
    quality: fc.constantFrom(null, 'low', 'high'),
  });
  const serving = fc.constantFrom<MayServe>(
    { ...SERVED_ANYWHERE, fast: true },
    { ...NOWHERE, tiers: ['flex', 'priority', 'fast'], geos: ['us', 'eu'] },
  );
  const spare = fc.tuple(tokenCount, tokenCount);
  fc.assert(
    fc.property(price, usage, kind, serving, spare, (of, used, image, serve, [moreIn, moreOut]) => {
      expect(plausibleUsage(used)).toBe(true);
      const { charge, provisional } = priceOrProvisional(used, of, image);
      const counts = {
        inputTokens: used.inputTokens + moreIn,
        outputTokens: used.outputTokens + moreOut,
        images: used.images ?? 0,
        image,
        tools: used.details?.tools ?? {},
      };
      expect(priceAtMost(of, counts, serve)).toBeGreaterThanOrEqual(charge?.total ?? provisional ?? ZERO);
    }),
    { numRuns: 1_000 },
  );
});
