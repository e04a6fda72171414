/**
 * A paid endpoint is declared once (`contract/paid-endpoints.ts`), and what else it needs is the list in CONTRIBUTING.md. When
 * a test here fails, read the facts from the declaration instead of listing endpoints once more.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { docsOf } from '../../src/contract/documentation/documentation.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { type EndpointName, endpoints } from '../../src/contract/endpoints.ts';
import { callKindNames, paidEndpoints, pathsOf } from '../../src/contract/paid-endpoints.ts';
import { readCode } from '../support/read-code.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const FILES_MAX = 14;

/** Where three kinds of calls are named, besides the files of the list. */
const ALLOWED: Readonly<Record<string, string>> = {
  'gateway/src/batches/line-kinds.ts': 'typed by the kinds that run in batches',
  'gateway/src/batches/line-parts.ts': 'the parts of a line, by the kinds that run in batches',
  'gateway/src/catalog/model-entry.ts': 'options of models, and an example',
  'gateway/src/cli/client/check-batch.ts': 'typed by the kinds that run in batches',
  'gateway/src/contract/batch-lines/check-line-value.ts': 'rules of lines, by the kinds that run in batches',
  'gateway/src/demo/demo-batch-lines.ts': 'what the demo asks',
  'gateway/src/demo/demo-workloads.ts': 'what the demo asks',
  'gateway/src/providers/openai/openai-provider.ts': 'the formats that it speaks, and errors of embeddings',
  'gateway/simulator/batches/openai-batches.ts': "what a provider's batches take",
};

const contributing = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
const chapter = contributing.split('## How to add a paid endpoint')[1]?.split('\n## ')[0] ?? '';
const listed = [...chapter.matchAll(/^\| \d+ \| `([^`]+)` \|/gm)].map((match) => match[1] as string);

/** Paths are written from `gateway/src`, unless they begin with another folder. */
function fileOf(written: string): string {
  const whole = /^(?:console|docs|deploy|gateway)\//.test(written) ? written : `gateway/src/${written}`;
  return whole.replace('run-<kind>', 'run-embedding').replace('<kind>', 'embeddings');
}

describe('the files of a paid endpoint', () => {
  it('are listed in CONTRIBUTING.md, exist, and are few', () => {
    expect(listed.length).toBeGreaterThan(0);
    expect(listed.length).toBeLessThanOrEqual(FILES_MAX);
    expect(listed.filter((file) => !existsSync(path.join(root, fileOf(file))))).toEqual([]);
  });
});

const namesOf = new Map(
  callKindNames.map((kind) => {
    const operations = paidEndpoints.filter((one) => one.kind === kind).map(({ name }) => name);
    return [kind, [kind, ...operations, ...pathsOf(kind)]] as const;
  }),
);

/** The kinds of calls that the text names in strings or as keys. */
function kindsIn(text: string): string[] {
  const { code, strings } = readCode(text);
  return [...namesOf].flatMap(([kind, names]) => {
    const keys = names.filter((name) => /^\w+$/.test(name)).join('|');
    const isKey = new RegExp(`(?<=[{,]\\s*)(?:${keys})(?=\\s*:)`).test(code);
    return isKey || strings.some((one) => names.includes(one.text)) ? [kind] : [];
  });
}

/** The formats of text are named together wherever texts are translated, so another kind has to be among them. */
function isList(kinds: readonly string[]): boolean {
  return kinds.length >= 3 && kinds.includes('embeddings');
}

const files = ['gateway/src', 'gateway/simulator', 'console/src'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
    .map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`),
);
const lists = files.filter((file) => isList(kindsIn(readFileSync(path.join(root, file), 'utf8'))));

describe('the kinds of calls', () => {
  it('are listed in the files of the list only', () => {
    const known = new Set([...listed.map(fileOf), ...Object.keys(ALLOWED)]);
    expect(lists.filter((file) => !known.has(file))).toEqual([]);
  });

  it('have no exception that is not needed', () => {
    expect(Object.keys(ALLOWED).filter((file) => !lists.includes(file))).toEqual([]);
  });

  it.each([
    ["const kinds = ['chat', 'responses', 'embeddings'];", ['chat', 'responses', 'embeddings']],
    ["const paths = { chat: 1, messages: 2 };\nsend('/v1/embeddings');", ['chat', 'messages', 'embeddings']],
    ["run('createEmbedding', 'editImage');", ['embeddings', 'images']],
    ['// chat, embeddings and images', []],
  ])('are found in %j', (text, kinds) => {
    expect(kindsIn(text)).toEqual(kinds);
  });
});

describe('the table of paid endpoints', () => {
  it('has every endpoint whose calls are charged and repeated', () => {
    const repeatable = Object.entries<Endpoint>(endpoints).filter(([, one]) => one.repeatable);
    expect(paidEndpoints.map(({ name }) => name).toSorted()).toEqual(
      repeatable.map(([name]) => name).toSorted(),
    );
  });

  it.each(paidEndpoints)('has in $name a path, names of its own, and an example that can be sent', (paid) => {
    const { name, path: declared, repeats, mode } = paid;
    expect(endpoints[name]).toMatchObject({ method: 'POST', path: declared, charged: true });
    const others = paidEndpoints.filter((one) => one.name !== name);
    expect(others.filter((one) => one.repeats === repeats || (mode !== null && one.mode === mode))).toEqual(
      [],
    );
    const examples = docsOf(name as EndpointName)?.docs.examples ?? [];
    expect(examples.some(({ body, notSent }) => body !== undefined && notSent === undefined)).toBe(true);
  });
});
