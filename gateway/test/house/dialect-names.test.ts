/**
 * A dialect owns its facts: shared code reads them from its declaration (`catalog/dialects/`) and its adapter
 * (`providers/adapters.ts`), and names no dialect and no vendor. When a test here fails, declare what the code wants to
 * know in `DialectFacts` or `DialectAdapter`, and let each dialect say it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { dialectFacts } from '../../src/catalog/dialects/dialects.ts';
import { readCode } from '../support/read-code.ts';

const src = path.resolve(import.meta.dirname, '../../src');

/** Their own folders, and the line of each in the two registries. */
const HOMES = /^(?:catalog\/dialects\/(?:[^/]+\/|dialects\.ts$)|providers\/(?:[^/]+\/|adapters\.ts$))/;

/** Where a name means something else than a dialect that is called. */
const ALLOWED: Readonly<Record<string, string>> = {
  'text/proof.ts': 'the messages format is this protocol; callers keep proofs with the name in them',
  'text/formats/responses/sealed-proof.ts': 'the responses format is this protocol; callers keep its proofs',
  'calls/fit-relay-thinking.ts': 'a relayed body of the messages format is in this protocol',
  'catalog/model-entry.ts': 'an example',
  'contract/samples.ts': 'a client library',
  'contract/stored-fields.ts': 'a field of the chat format',
  'contract/administration/margin.ts': 'an example',
  'contract/documentation/administration/installation.json': 'an example',
  'reports/reconcile/export-line.ts': 'formats of cost exports',
  'reports/reconcile/read-cost-export.ts': 'formats of cost exports',
};

const names = Object.entries(dialectFacts).flatMap(([dialect, { vendors, services }]) => [
  dialect,
  ...Object.keys({ ...vendors, ...services }),
]);
const folders = readdirSync(path.join(src, 'providers'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
const escaped = names.map((name) => name.replaceAll('.', '\\.')).join('|');
/** A key of a table; quoted keys are strings. */
const KEY = new RegExp(`(?<=[{,]\\s*)(?:${escaped})(?=\\s*:)`, 'g');
const INSIDE = new RegExp(`^\\.{1,2}/(?:.*/)?(?:providers|dialects)/(?:${folders.join('|')})/`);

/** What of the text names a dialect or a vendor, each with its line. */
function namesIn(text: string): string[] {
  const { code, strings } = readCode(text);
  const found = [
    ...strings.filter((one) => names.includes(one.text) || INSIDE.test(one.text)),
    ...[...code.matchAll(KEY)].map((match) => ({ index: match.index, text: match[0] })),
  ];
  return found.map(({ index, text: name }) => `${text.slice(0, index).split('\n').length} names ${name}`);
}

const shared = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll(path.sep, '/'))
  .filter((file) => /(?<!\.test)\.(?:ts|json)$/.test(file) && !HOMES.test(file))
  .map((file) => ({ file, found: namesIn(readFileSync(path.join(src, file), 'utf8')) }));

describe('shared code', () => {
  it('names no dialect and no vendor', () => {
    const wrong = shared.filter(({ file }) => !(file in ALLOWED));
    expect(wrong.flatMap(({ file, found }) => found.map((one) => `${file}:${one}`))).toEqual([]);
  });

  it('has no exception that is not needed', () => {
    const needed = shared.filter(({ found }) => found.length > 0).map(({ file }) => file);
    expect(Object.keys(ALLOWED).filter((file) => !needed.includes(file))).toEqual([]);
  });
});

describe('the check of names', () => {
  it.each([
    ["if (dialect === 'openai-compatible') return;", '1 names openai-compatible'],
    ['const families = {\n  google: 1,\n};', '2 names google'],
    ["const hosts = { 'azure-openai': 1 };", '1 names azure-openai'],
    ["const KEYLESS = ['bedrock'];", '1 names bedrock'],
    ["switch (vendor) { case 'llama.cpp': }", '1 names llama.cpp'],
    ["import { a } from '../providers/google/a.ts';", '1 names ../providers/google/a.ts'],
    ["import { a } from './dialects/openai/a.ts';", '1 names ./dialects/openai/a.ts'],
  ])('reports %j', (text, finding) => {
    expect(namesIn(text)).toEqual([finding]);
  });

  it.each([
    "// as `openai` does: 'openai'",
    "const header = 'anthropic-version';",
    "throw new Error('OpenAI and google differ');",
    'const google = read(one); const { openai } = two;',
    "import { adapters } from './providers/adapters.ts';",
  ])('leaves %j alone', (text) => {
    expect(namesIn(text)).toEqual([]);
  });
});
