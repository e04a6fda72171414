/** Schemas that OpenAI turns down for strict functions and answers, in its words. */
import { describe, expect, test } from 'vitest';
import { post, userPrompt } from './testing/call-simulator.ts';
import { simulator } from './testing/chat-stage.ts';

const closed = { type: 'object', additionalProperties: false };
const text = { type: 'string' };
const good = {
  ...closed,
  $defs: { place: { ...closed, properties: { name: text }, required: ['name'] } },
  properties: {
    place: { $ref: '#/$defs/place' },
    when: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
    tags: { type: 'array', items: text, minItems: 1 },
    size: { type: ['integer', 'null'], minimum: 1 },
    kind: { enum: ['a', 'b'] },
  },
  required: ['place', 'when', 'tags', 'size', 'kind'],
};
const all = "'required' is required to be supplied and to be an array including every key in properties.";
const bad: ReadonlyArray<readonly [string, object, string]> = [
  [
    'additional properties',
    { type: 'object', properties: {} },
    "In context=(), 'additionalProperties' is required to be supplied and to be false.",
  ],
  [
    'an optional property',
    { ...closed, properties: { a: text, b: text }, required: ['a'] },
    `In context=(), ${all} Missing 'b'.`,
  ],
  [
    'a required property that it does not declare',
    { ...closed, properties: { a: text }, required: ['a', 'b'] },
    `In context=(), ${all} Extra required key 'b' supplied.`,
  ],
  [
    'an object within that is open',
    { ...closed, properties: { a: { type: 'object', properties: {} } }, required: ['a'] },
    "In context=('properties', 'a'), 'additionalProperties' is required to be supplied and to be false.",
  ],
  ...['oneOf', 'allOf'].map(
    (word) =>
      [
        word,
        { ...closed, properties: { a: { [word]: [text] } }, required: ['a'] },
        `In context=('properties', 'a'), '${word}' is not permitted.`,
      ] as const,
  ),
  ...Object.entries({ default: 'x', minLength: 1 }).map(
    ([word, value]) =>
      [
        word,
        {
          ...closed,
          properties: { a: { type: 'array', items: { ...text, [word]: value } } },
          required: ['a'],
        },
        `In context=('properties', 'a', 'items'), '${word}' is not permitted.`,
      ] as const,
  ),
  [
    'a choice with an open object',
    { ...closed, properties: { a: { anyOf: [text, { type: 'object' }] } }, required: ['a'] },
    "In context=('properties', 'a', 'anyOf', '1'), 'additionalProperties' is required to be supplied and to be false.",
  ],
  [
    'a property without a type',
    { ...closed, properties: { a: {} }, required: ['a'] },
    "In context=('properties', 'a'), schema must have a 'type' key.",
  ],
  [
    'a list of anything',
    { ...closed, properties: { a: { type: 'array' } }, required: ['a'] },
    "In context=('properties', 'a'), array schema missing items.",
  ],
  [
    'another type than an object',
    { type: 'array', items: text },
    `schema must be a JSON Schema of 'type: "object"', got 'type: "array"'.`,
  ],
];

interface SaidOf {
  readonly what: string;
  readonly param: string;
  readonly code: string | null;
}

/** Where a strict schema can be, and how the error names it. */
const places: Record<string, readonly [path: string, (schema: object, strict: boolean) => object, SaidOf]> = {
  'the answer in chat': [
    'chat/completions',
    (schema, strict) => ({
      response_format: { type: 'json_schema', json_schema: { name: 'it', schema, strict } },
    }),
    { what: "response_format 'it'", param: 'response_format', code: null },
  ],
  'a function in chat': [
    'chat/completions',
    (parameters, strict) => ({ tools: [{ type: 'function', function: { name: 'it', parameters, strict } }] }),
    {
      ...{ what: "function 'it'", param: 'tools[0].function.parameters' },
      code: 'invalid_function_parameters',
    },
  ],
  'the answer in responses': [
    'responses',
    (schema, strict) => ({ text: { format: { type: 'json_schema', name: 'it', schema, strict } } }),
    { what: "response_format 'it'", param: 'text.format.schema', code: 'invalid_json_schema' },
  ],
  'a function in responses': [
    'responses',
    (parameters, strict) => ({ tools: [{ type: 'function', name: 'it', parameters, strict }] }),
    { what: "function 'it'", param: 'tools[0].parameters', code: 'invalid_function_parameters' },
  ],
};

describe.each(Object.entries(places))('%s', (_, [path, asking, { what, ...error }]) => {
  async function ask(schema: object, strict: boolean, model = 'sim-chat'): Promise<[number, unknown]> {
    const said = path === 'responses' ? { input: 'hi' } : { messages: [{ role: 'user', content: 'hi' }] };
    const { status, text } = await post(`${simulator.url}/${path}`, {
      ...{ model, ...said },
      ...asking(schema, strict),
    });
    return [status, (JSON.parse(text) as { error?: unknown }).error];
  }

  test('takes a schema of the form that is described', async () => {
    expect((await ask(good, true))[0]).toBe(200);
  });

  test.each(bad)('turns %s down, unless it is not strict', async (_, schema, message) => {
    expect(await ask(schema, true)).toEqual([
      400,
      { message: `Invalid schema for ${what}: ${message}`, type: 'invalid_request_error', ...error },
    ]);
    expect((await ask(schema, false))[0]).toBe(200);
  });
});

test('other makers that speak the protocol take any schema', async () => {
  const [, open] = bad[0] as (typeof bad)[number];
  const [, asking] = places['a function in chat'] as (typeof places)[string];
  const { status } = await post(`${simulator.url}/chat/completions`, {
    ...userPrompt('hi', { model: 'sim-grok-4.6' }),
    ...asking(open, true),
  });
  expect(status).toBe(200);
});
