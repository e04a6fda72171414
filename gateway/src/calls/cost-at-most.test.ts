import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Model } from '../catalog/model.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';
import type { ModelPrice } from '../pricing/model-price.ts';
import { SERVED_ANYWHERE } from '../pricing/price-at-most.ts';
import type { PromptBound } from './check-bounded.ts';
import {
  affordableOutput,
  type BoundedCall,
  type BoundedModel,
  costAtMost,
  fallbackModels,
} from './cost-at-most.ts';

const priced = (input: string, output: string, more: Partial<ModelPrice> = {}): BoundedModel => ({
  prices: [
    {
      from: null,
      price: { tokens: { input: parseUnits(input), output: parseUnits(output) }, rules: [], ...more },
    },
  ],
  contextTokens: 100_000,
  outputTokensMax: 8_000,
});
const model = priced('1', '10');
const prompt: PromptBound = {
  ...{ images: 0, imageBytes: 0, compressed: false, addedTokens: 2_000, passes: 1, tools: {} },
};
const size = { bytes: 8_000, addresses: 0, answers: 1, outputTokensMax: null };
const call: BoundedCall = {
  ...{ model, fallbacks: [], principal: { spaceName: 's' }, at: 0, size, prompt, serve: SERVED_ANYWHERE },
};
const atMost = (more: Partial<BoundedCall>): string => printUnits(costAtMost({ ...call, ...more }));

describe('a call costs at most', () => {
  test('its bytes and what providers add as input, and the limit of its answer as output', () => {
    expect(atMost({})).toBe('0.09');
    expect(atMost({ size: { ...size, outputTokensMax: 100 } })).toBe('0.011');
    expect(atMost({ size: { ...size, outputTokensMax: 100, answers: 3 } })).toBe('0.013');
    expect(atMost({ model: { ...model, outputTokensMax: null } })).toBe('0.05096');
  });

  test('as much input as the context of the model', () => {
    expect(atMost({ size: { ...size, bytes: 5_000_000 } })).toBe('0.18');
    expect(atMost({ size: { ...size, bytes: 5_000_000 }, model: { ...model, contextTokens: null } })).toBe(
      '5.082',
    );
  });

  test('the tokens of images instead of their bytes', () => {
    const images = { ...prompt, images: 1, imageBytes: 900_000 };
    expect(atMost({ size: { ...size, bytes: 908_000 }, prompt: images })).toBe('0.14');
  });

  test('the whole context for a document, and again for each use of a tool', () => {
    expect(atMost({ prompt: { ...prompt, compressed: true } })).toBe('0.18');
    const tools = new Map([['web_search', parseUnits('10')]]);
    const searching = priced('1', '10', { tools });
    expect(atMost({ model: searching, prompt: { ...prompt, passes: 3, tools: { web_search: 2 } } })).toBe(
      '0.56',
    );
  });

  test('the most expensive of the models that may answer', () => {
    expect(atMost({ fallbacks: [priced('0.5', '2'), priced('3', '10')] })).toBe('0.11');
  });

  test('nothing without prices, and the markup of the caller', () => {
    expect(atMost({ model: { ...model, prices: [] } })).toBe('0');
    expect(atMost({ model: { ...model, markups: [{ factor: parseUnits('2') }] } })).toBe('0.18');
  });

  test('the price of each image, or of its tokens', () => {
    const images = new Map([['default', parseUnits('0.2')]]);
    const image = { size: null, quality: null };
    const drawing = { ...size, answers: 2, outputTokensMax: 100_000 };
    const perImage: BoundedModel = {
      ...model,
      prices: [{ from: null, price: { tokens: {}, images, rules: [] } }],
    };
    expect(atMost({ model: perImage, image, size: drawing })).toBe('0.4');
    expect(atMost({ model: priced('1', '10', { images }), image, size: drawing })).toBe('2.01');
  });

  test('no output for embeddings', () => {
    expect(atMost({ size: { ...size, outputTokensMax: 0 } })).toBe('0.01');
  });
});

describe('the largest limit that can be paid for', () => {
  const left = (units: string, more: Partial<BoundedCall> = {}): number | null =>
    affordableOutput(parseUnits(units), { ...call, ...more });

  test('is that of the model, or less', () => {
    expect(left('100')).toBe(8_000);
    expect(left('0.09')).toBe(8_000);
    expect(left('0.0899')).toBe(7_990);
    expect(left('100', { model: { ...model, outputTokensMax: null } })).toBe(4_096);
    expect(left('100', { model: priced('1', '0') })).toBe(8_000);
    expect(left('0', { model: priced('0', '0') })).toBe(8_000);
  });

  test('is none below the minimum', () => {
    expect(left('0.01256')).toBe(256);
    expect(left('0.01255')).toBeNull();
    expect(left('0')).toBeNull();
    expect(left('100', { model: { ...model, outputTokensMax: 10 } })).toBe(10);
  });

  test('counts every answer and every model that may answer', () => {
    expect(left('0.02', { size: { ...size, answers: 2 } })).toBe(500);
    expect(left('0.02', { fallbacks: [priced('1', '20')] })).toBe(500);
  });

  test('fits, and one token more does not', () => {
    const amount = fc.bigInt({ min: 1n, max: 9_000_000_000_000n }).map((pico) => printUnits(pico as Units));
    fc.assert(
      fc.property(
        amount,
        amount,
        amount,
        fc.nat(90_000),
        fc.integer({ min: 1, max: 4 }),
        (of, out, has, bytes, answers) => {
          const asked = { ...call, model: priced(of, out), size: { ...size, bytes, answers } };
          const found = affordableOutput(parseUnits(has), asked);
          const withLimit = (outputTokensMax: number): Units =>
            costAtMost({ ...asked, size: { ...asked.size, outputTokensMax } });
          if (found === null) expect(withLimit(256)).toBeGreaterThan(parseUnits(has));
          else expect(withLimit(found)).toBeLessThanOrEqual(parseUnits(has));
          if (found !== null && found < 8_000) expect(withLimit(found + 1)).toBeGreaterThan(parseUnits(has));
        },
      ),
    );
  });
});

test('models that the caller cannot use, or not on this endpoint, do not answer instead', () => {
  const other = { code: 'b', endpoints: new Set(['chat']) } as unknown as Model;
  const seen = (code: string): Model | null => (code === 'b' ? other : null);
  const on = new Set<never>();
  const asked = {
    fallbacks: [
      { model: 'a', on },
      { model: 'b', on },
    ],
  };
  const user = { spaceName: 's', models: null };
  expect(fallbackModels(asked, { user, endpoint: 'chat' }, { seen })).toEqual([other]);
  expect(fallbackModels(asked, { user, endpoint: 'messages' }, { seen })).toEqual([]);
  expect(fallbackModels({}, { user, endpoint: 'chat' }, { seen })).toEqual([]);
});
