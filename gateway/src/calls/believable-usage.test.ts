import { expect, test } from 'vitest';
import { NO_TOKENS } from '../pricing/usage.ts';
import { isBelievable } from './believable-usage.ts';

const model = { contextTokens: 100_000, outputTokensMax: 8_000 };
const unknown = { contextTokens: null, outputTokensMax: null };
const size = { bytes: 2_000, addresses: 0, answers: 1, outputTokensMax: null };
const of = (inputTokens: number, outputTokens = 0, more: object = {}) => ({
  ...NO_TOKENS,
  inputTokens,
  outputTokens,
  ...more,
});

test('a prompt may have twice the tokens of the context, and what providers add', () => {
  expect(isBelievable(of(210_000), model, size)).toBe(true);
  expect(isBelievable(of(210_001), model, size)).toBe(false);
  expect(isBelievable(of(1_000_000_000), model, size)).toBe(false);
});

test('without a context the bytes that were sent are the bound', () => {
  expect(isBelievable(of(26_000), unknown, size)).toBe(true);
  expect(isBelievable(of(26_001), unknown, size)).toBe(false);
  expect(isBelievable(of(1_000_000), unknown, { ...size, addresses: 1 })).toBe(true);
  expect(isBelievable(of(1_000_000_000), unknown, { ...size, addresses: 1 })).toBe(false);
});

test('an answer may have twice the cap of the caller, or of the model, for each answer', () => {
  const capped = { ...size, outputTokensMax: 100 };
  expect(isBelievable(of(1, 10_200), model, capped)).toBe(true);
  expect(isBelievable(of(1, 10_201), model, capped)).toBe(false);
  expect(isBelievable(of(1, 10_600), model, { ...capped, answers: 3 })).toBe(true);
  expect(isBelievable(of(1, 26_000), model, size)).toBe(true);
  expect(isBelievable(of(1, 26_001), model, size)).toBe(false);
  // Reasoning may be beside the cap of the caller, not beside that of the model.
  expect(isBelievable(of(1, 20_000, { reasoningTokens: 15_000 }), model, capped)).toBe(true);
  expect(isBelievable(of(1, 30_000, { reasoningTokens: 29_000 }), model, capped)).toBe(false);
});

test('tools that the provider ran read the prompt again', () => {
  const searched = { details: { tools: { web_search: 4 } } };
  expect(isBelievable(of(1_000_000, 0, searched), model, size)).toBe(true);
  expect(isBelievable(of(1_010_001, 0, searched), model, size)).toBe(false);
  const absurd = { details: { tools: { web_search: 1_000_000 } } };
  expect(isBelievable(of(1_000_000_000, 0, absurd), model, size)).toBe(false);
});
