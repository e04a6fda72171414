/**
 * Nothing is dropped silently: every field of every format is sent to every dialect and vendor, and what the provider
 * received is compared with the declaration from which docs/formats.md is written.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectedOf, type FieldCases, fateOf, OMITTED, saidBy } from '../fields/field-case.ts';
import { chatFields } from '../fields/fields-chat.ts';
import { messagesFields } from '../fields/fields-messages.ts';
import { responsesFields } from '../fields/fields-responses.ts';
import { thinkingFields } from '../fields/fields-thinking.ts';
import { Observer } from '../fields/observe.ts';
import { fieldsConfig, type Place, places, thinkers } from '../fields/places.ts';
import { publishedFields } from '../fields/published-fields.ts';
import { type RecordingProvider, startRecordingProvider } from '../fields/recording-provider.ts';
import type { Format } from '../matrix/ask.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const fields: Readonly<Record<Format, FieldCases>> = {
  chat: chatFields,
  responses: responsesFields,
  messages: messagesFields,
};
const formats = Object.keys(fields) as Format[];

describe.each(oneEngine('postgres', 'translation'))('on %s', (engine) => {
  let provider: RecordingProvider;
  let gateway: TestGateway;
  let observer: Observer;
  beforeAll(async () => {
    provider = await startRecordingProvider();
    gateway = await startGateway({ engine, config: fieldsConfig(provider.origin, [...places, ...thinkers]) });
    observer = new Observer(gateway, provider);
  });
  afterAll(async () => {
    await gateway.stop();
    await provider.stop();
  });

  async function compare(format: Format, field: FieldCases[string], all: readonly Place[]): Promise<void> {
    const seen: Record<string, unknown> = {};
    const declared: Record<string, unknown> = {};
    for (const place of all) {
      seen[place.name] = await observer.observe(format, field, place);
      declared[place.name] = expectedOf(format, field, place, all);
    }
    expect(seen).toEqual(declared);
  }

  describe.each(formats)('%s', (format) => {
    test.each(Object.entries(fields[format]))('%s reaches providers as declared', async (_, field) => {
      await compare(format, field, places);
    });

    test.each(Object.entries<FieldCases[string]>(thinkingFields[format]))(
      '%s reaches models as declared',
      async (_, field) => {
        await compare(format, field, thinkers);
      },
    );
  });
});

describe.each(formats)('the declaration of %s', (format) => {
  const cases = Object.entries(fields[format]);

  test('has every field that the official libraries have', () => {
    const said = JSON.stringify(cases.map(([, { beside, said }]) => [beside, said]));
    const missing = publishedFields[format].filter((name) => !said.includes(`"${name}":`));
    expect(missing).toEqual([]);
  });

  test('says why a field is left out, where it is', () => {
    const silent = cases.filter(([, field]) => {
      const fates = places.map((place) => fateOf(format, field, place, places));
      return fates.includes(OMITTED) && field.about === undefined;
    });
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  test('names places that exist, and says something', () => {
    const known = new Set([...places.map(({ name }) => name), 'else']);
    for (const [name, field] of cases) {
      expect(
        Object.keys(field.becomes).filter((place) => !known.has(place)),
        name,
      ).toEqual([]);
      expect(saidBy(format, field, places[0] as Place), name).not.toEqual({});
    }
  });
});
