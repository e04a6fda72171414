/**
 * What depends on the inside of Node or V8 stays in few files, each with a switch and a row in docs/performance.md: a new
 * version of Node may change it without a word.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkPlain } from '../../src/app/check-plain.ts';
import { nodeInsides } from '../../src/kernel/node-insides.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const chapter = /\n## Insides of Node and V8\n([\s\S]*?)\n## /.exec(
  readFileSync(join(root, 'docs/performance.md'), 'utf8'),
)?.[1];

/** Signs of an inside, and the only files that may have them. */
const SIGNS: ReadonlyArray<readonly [sign: RegExp, files: readonly string[]]> = [
  [
    /\b_handle\b/,
    [
      'gateway/src/edge/read-together.ts',
      'gateway/src/edge/reading-pace.ts',
      'gateway/src/net/has-unread-bytes.ts',
    ],
  ],
  [/\bsetFlagsFromString\b|\bexecve\b|--expose-gc\b|--allow-natives/, ['gateway/bin/tollgate.js']],
  [/\bgc\s*\?\.\(|\bgc\(|globalThis as \{ gc/, ['gateway/src/app/memory-return.ts']],
  [/\.transfer(?:ToFixedLength)?\(\)/, ['gateway/src/memory/body-memory.ts']],
  [
    /\bWebAssembly\b/,
    [
      'gateway/src/json/wasm-scanner.ts',
      // The embedded engine is a program of WebAssembly: there is no doing without.
      'gateway/src/database/embedded-worker.ts',
    ],
  ],
  [/\bprocess\.(?:binding|_\w+|dlopen)\b|\binternalBinding\b|\bnode:internal\b|getOwnPropertySymbols/, []],
  [
    /\b_(?:events|readableState|writableState|httpMessage|idleTimeout|onTimeout|refreshTimeout|tickCallback)\b/,
    [],
  ],
  [/%(?:[A-Z][a-z]+){2,}\(/, []],
];

const sources = ['gateway/src', 'gateway/bin', 'console/src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|tsx|js)$/.test(file) && !/\.test\.ts$/.test(file))
    .map((file) => join(folder, file)),
);

describe('what depends on the inside of Node or V8', () => {
  test.each(SIGNS)('%s is in no other file', (sign, files) => {
    const found = sources.filter((file) => sign.test(codeOf(file)));
    expect(found.sort()).toEqual([...files].sort());
  });

  test('has a row in docs/performance.md, with a switch and the file that asks for it', () => {
    const rows = [...(chapter ?? '').matchAll(/^\| `([a-z-]+)` \| `([^`]+)` \|/gm)];
    expect(rows.map(([, name]) => name)).toEqual([...nodeInsides]);
    for (const [, name, file = ''] of rows) {
      const path = join(root, 'gateway', file.startsWith('bin/') ? file : `src/${file}`);
      expect(readFileSync(path, 'utf8'), file).toContain(`usesInside('${name}')`);
    }
  });

  test('is turned off by name, and a name that is none is an error', () => {
    expect(() => checkPlain('all')).not.toThrow();
    expect(() => checkPlain(nodeInsides.join(', '))).not.toThrow();
    expect(() => checkPlain('taken-bytes,taken-bites')).toThrow(
      'TOLLGATE_PLAIN names taken-bites. It must be all, or some of accepted-sockets, ',
    );
  });
});

function codeOf(file: string): string {
  return readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}
