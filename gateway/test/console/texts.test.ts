/** The texts of the console: in two languages with the same keys and values, and nowhere else. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { describe, expect, test } from 'vitest';

interface Texts {
  readonly name: string;
  readonly catalogues: Readonly<Record<'en' | 'ko', Readonly<Record<string, string>>>>;
}

const src = fileURLToPath(new URL('../../../console/src', import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: 'utf8' });

const catalogues = await Promise.all(
  files
    .filter((file) => /(?:^|\/|(?<!define)-)texts\.ts$/.test(file))
    .map(async (file) => {
      const module = (await import(join(src, file))) as Record<string, Texts>;
      return { file, texts: Object.values(module).filter((value) => 'catalogues' in value) };
    }),
);

/** The values that a message takes. How it prints them may differ: Korean has no plural. */
function valuesIn(message: string): Set<string> {
  return new Set(namesIn(compileMessage(message)));
}

function namesIn(parts: unknown): string[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part) => {
    if (!Array.isArray(part)) return [];
    const [name, , cases] = part as [string, string?, Record<string, unknown>?];
    const inside = typeof cases === 'object' ? Object.values(cases).flatMap(namesIn) : [];
    return [name, ...inside];
  });
}

describe('the texts', () => {
  test('are found', () => {
    expect(catalogues.length).toBeGreaterThan(3);
    const names = catalogues.flatMap(({ texts }) => texts.map(({ name }) => name));
    expect(new Set(names).size, 'each catalogue has a name of its own').toBe(names.length);
  });

  test.each(catalogues)('of $file have the same keys and values in both languages', ({ texts }) => {
    expect(texts.length).toBeGreaterThan(0);
    for (const {
      catalogues: { en, ko },
    } of texts) {
      expect(Object.keys(ko)).toEqual(Object.keys(en));
      for (const [key, message] of Object.entries(en)) {
        expect(message, key).not.toBe('');
        expect(valuesIn(ko[key] as string), key).toEqual(valuesIn(message));
      }
    }
  });
});

describe('components', () => {
  const components = files.filter((file) => file.endsWith('.tsx'));

  test.each(components)('%s has no text of its own', (file) => {
    expect(ownTexts(readFileSync(join(src, file), 'utf8'))).toEqual([]);
  });

  test.each([
    ['<p>Some words</p>', ['Some words']],
    ['<p>{t("a")} words</p>', ['words']],
    ['<input placeholder="Type here" />', ['Type here']],
    ['<b>{t("a")}</b><kbd>Ctrl K</kbd>', []],
    ['const a = (b: Map<string, string>): Array<number> => c;', []],
  ])('%s is seen', (code, found) => {
    expect(ownTexts(code)).toEqual(found);
  });
});

/** Names and keys are the same in every language. */
const SAME_EVERYWHERE =
  /^(?:Tollgate|KST|UTC|CSV|JSON|Esc|Enter|Shift|Ctrl K|⌘K|curl|Python|TypeScript|[a-z]+_…|npx tollgate .*)$/;

function ownTexts(code: string): string[] {
  const plain = code.replaceAll(/\/\*[\s\S]*?\*\/|(?<=\s)\/\/.*$/gm, '');
  const nodes = [...plain.matchAll(/[>}]([^<>{}();=]*)<\/\w/g)].map(([, text = '']) => text);
  const attributes = [...plain.matchAll(/\s(?:aria-label|alt|title|placeholder|label)="([^"]+)"/g)].map(
    ([, text = '']) => text,
  );
  return [...nodes, ...attributes]
    .map((text) => text.trim())
    .filter((text) => /\p{Letter}{2}/u.test(text) && !SAME_EVERYWHERE.test(text));
}
