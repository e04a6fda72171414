import { afterAll, expect, test } from 'vitest';
import type { Model } from '../catalog/model.ts';
import { systemClock } from '../kernel/time.ts';
import type { TextFeatures } from '../text/text-features.ts';
import { TokenCounter } from '../tokens/token-counter.ts';
import { checkContext } from './check-context.ts';

const tokens = new TokenCounter(systemClock);
afterAll(() => tokens.stop());

const model = { code: 'small', contextTokens: 1_000 } as Model;
const features = { outputTokensMax: 100, params: { messages: 'messages' } } as TextFeatures;
const counts = () => ({ lane: 'space' });

test('a prompt with two bytes for every token that fits is not counted', () => {
  const texts = (): string[] => {
    throw new Error('the texts were read');
  };
  expect(checkContext(model, { features, bytes: 1_800, counts }, texts, { tokens })).toBeNull();
});

test('a longer prompt is counted, and rejected only if it has too many tokens', async () => {
  const check = (text: string): Promise<void> | null =>
    checkContext(model, { features, bytes: text.length, counts }, () => [text], { tokens });
  await expect(check('word '.repeat(800))).resolves.toBeUndefined();
  await expect(check('word '.repeat(1_000))).rejects.toMatchObject({ code: 'context_length_exceeded' });
});
