import { describe, expect, test } from 'vitest';
import { digestOfSecret, hintOfSecret, newKeySecret, readPrefix } from './key-secret.ts';

describe('the secret of a key', () => {
  test('is its prefix and 46 letters and digits, and never the same twice', () => {
    const texts = Array.from({ length: 1_000 }, () => newKeySecret('shared'));
    for (const text of texts) expect(text).toMatch(/^sk_[0-9A-Za-z]{46}$/);
    expect(new Set(texts).size).toBe(texts.length);
    expect(newKeySecret('management')).toMatch(/^mk_/);
    expect(newKeySecret('personal')).toMatch(/^sk_/);
  });

  test('detects any single wrong character by its checksum', () => {
    const text = newKeySecret('personal');
    expect(readPrefix(text)).toBe('sk');
    for (let i = 0; i < text.length; i++) {
      const wrong = text.slice(0, i) + (text[i] === 'x' ? 'y' : 'x') + text.slice(i + 1);
      expect(readPrefix(wrong), `at ${i}`).toBeNull();
    }
    for (const wrong of ['', 'sk_', text.slice(1), `${text}a`, ` ${text}`, `${text}\n`])
      expect(readPrefix(wrong)).toBeNull();
  });

  test('is shown only by its ends and stored only as a digest', () => {
    const text = newKeySecret('shared');
    expect(hintOfSecret(text)).toBe(`sk_…${text.slice(-4)}`);
    expect(digestOfSecret(text)).toMatch(/^[0-9a-f]{64}$/);
  });
});
