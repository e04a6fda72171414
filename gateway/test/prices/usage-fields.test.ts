/**
 * No count of a provider is dropped. usage-fields.json names every field of every dialect's usage and says what becomes
 * of it: `priced`, `included` in another count, `kept` with the call, or `free`. The tests prove each word.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isObject, type Json, parseObject } from '../../src/json/read-json.ts';
import type { Usage } from '../../src/pricing/usage.ts';
import { readBedrockUsage } from '../../src/providers/bedrock/read-usage.ts';
import { readGoogleUsage } from '../../src/providers/google/read-usage.ts';
import { readImagesUsage } from '../../src/providers/openai/images/read-usage.ts';
import { readChatUsage } from '../../src/text/formats/chat/read-usage.ts';
import { readMessagesUsage } from '../../src/text/formats/messages/read-usage.ts';
import { readResponsesUsage } from '../../src/text/formats/responses/read-usage.ts';

interface Dialect {
  /** The parts of an answer that have usage, with every field. */
  readonly sample: Json;
  readonly fields: Readonly<Record<string, string>>;
}

const dialects = JSON.parse(readFileSync(new URL('usage-fields.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Dialect>
>;

const readers: Readonly<Record<string, (answer: Json) => Usage | null>> = {
  chat: ({ usage, service_tier }) => readChatUsage(usage, service_tier),
  responses: (answer) => readResponsesUsage(answer),
  messages: ({ usage }) => readMessagesUsage(usage),
  google: ({ usageMetadata }) => readGoogleUsage(usageMetadata),
  bedrock: (answer) => readBedrockUsage(answer),
  images: readImagesUsage,
};

/** Transcripts of each dialect, and the fields of an answer or event that have usage. */
const transcripts: Readonly<Record<string, { folder: string; usage: readonly string[] }>> = {
  chat: { folder: 'openai/chat', usage: ['usage'] },
  responses: { folder: 'openai/responses', usage: ['usage', 'tool_usage'] },
  messages: { folder: 'anthropic', usage: ['usage'] },
  google: { folder: 'google', usage: ['usageMetadata'] },
  bedrock: { folder: 'bedrock', usage: ['usage'] },
};

interface Leaf {
  readonly path: string;
  readonly steps: ReadonlyArray<string | number>;
  readonly value: unknown;
}

/** Items of a list are named by their kind, if they have one. */
function leavesOf(value: unknown, path = '', steps: ReadonlyArray<string | number> = []): Leaf[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => {
      const { modality, ttl, tokenCount, inputTokens } = item as Json;
      const kind = modality ?? ttl;
      if (kind === undefined) return leavesOf(item, path, [...steps, i]);
      const field = modality === undefined ? 'inputTokens' : 'tokenCount';
      return [{ path: `${path}.${kind}`, steps: [...steps, i, field], value: tokenCount ?? inputTokens }];
    });
  }
  if (!isObject(value)) return value === null ? [] : [{ path, steps, value }];
  return Object.entries(value).flatMap(([name, item]) =>
    leavesOf(item, path === '' ? name : `${path}.${name}`, [...steps, name]),
  );
}

/** The same answer with another value in one place. */
function changed(answer: Json, { steps, value }: Leaf): Json {
  const copy = structuredClone(answer) as Record<string | number, unknown>;
  let place = copy;
  for (const step of steps.slice(0, -1)) place = place[step] as typeof place;
  place[steps.at(-1) as string] = typeof value === 'number' ? value - (value > 1 ? 1 : 0.5) : 'default';
  return copy as Json;
}

/** Every usage in a transcript: a whole answer, or the events of a stream. */
function usagesIn(text: string, names: readonly string[]): Leaf[] {
  const whole = parseObject(text);
  const parts = whole === null ? text.split('\n').map((line) => line.replace(/^data: ?/, '')) : [text];
  const found: Leaf[] = [];
  const search = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) search(item);
    if (!isObject(value)) return;
    for (const [name, item] of Object.entries(value)) {
      if (names.includes(name)) found.push(...leavesOf(item, name));
      else search(item);
    }
  };
  for (const part of parts) search(parseObject(part));
  return found;
}

describe.each(Object.entries(dialects))('the usage of %s', (name, { sample, fields }) => {
  const read = readers[name] as (answer: Json) => Usage | null;
  const leaves = leavesOf(sample);

  test('has a row for each of its fields', () => {
    expect([...new Set(leaves.map(({ path }) => path))].sort()).toEqual(Object.keys(fields).sort());
    expect(read(sample)).not.toBeNull();
  });

  test('of every transcript has known fields only', () => {
    const { folder, usage } = transcripts[name] ?? { folder: null, usage: [] };
    if (folder === null) return;
    const at = new URL(`../../src/providers/${folder}/fixtures/`, import.meta.url);
    const found = readdirSync(at).flatMap((file) => usagesIn(readFileSync(new URL(file, at), 'utf8'), usage));
    expect(found.length).toBeGreaterThan(0);
    const strange = found.filter(
      ({ path, value }) => typeof value === 'number' && fields[path] === undefined,
    );
    expect([...new Set(strange.map(({ path }) => path))]).toEqual([]);
  });

  test.each(leaves)('$path becomes what its row says', (leaf) => {
    const [word] = (fields[leaf.path] ?? '').split(':');
    const other = read(changed(sample, leaf));
    expect(other).not.toBeNull();
    const same = JSON.stringify(other) === JSON.stringify(read(sample));
    expect([leaf.path, word, same]).toEqual([leaf.path, word, word === 'included' || word === 'free']);
    expect(['priced', 'included', 'kept', 'free']).toContain(word);
  });

  test('with one more count is kept by its name, and is not with a zero or a text', () => {
    const [root = ''] = Object.keys(sample).filter((field) => /^usage/.test(field));
    const usage = sample[root] as Json;
    const more = (value: unknown): Usage | null =>
      read({ ...sample, [root]: { ...usage, song_tokens: value } });
    expect(more(7)?.details?.unknown).toMatchObject({ song_tokens: 7 });
    for (const value of [0, null, 'seven']) expect(more(value)).toEqual(read(sample));
  });
});
