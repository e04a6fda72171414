import { describe, expect, test } from 'vitest';
import { encodePng } from './brain/png.ts';
import type { Wire } from './testing/call-simulator.ts';
import { complete, say } from './testing/chat-stage.ts';

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['c', 'f'] },
        days: { type: 'array', items: { type: 'integer', minimum: 3, maximum: 5 }, minItems: 2 },
        where: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
        note: { type: 'string' },
      },
      required: ['city', 'unit', 'days', 'where'],
    },
  },
};
const clock = { type: 'function', function: { name: 'get_time', parameters: { type: 'object' } } };

describe('tools', () => {
  test('that the prompt names are called with arguments that fit their schema', async () => {
    const { message, finish_reason } = await say('Use get_weather please.', { tools: [weather, clock] });
    expect(finish_reason).toBe('tool_calls');
    expect(message.content).toBeNull();
    expect(message.tool_calls).toMatchObject([
      { id: expect.stringMatching(/^call_/), type: 'function', function: { name: 'get_weather' } },
    ]);
    const args = JSON.parse(message.tool_calls[0]?.function.arguments ?? '') as Wire & { days: number[] };
    expect(args).toEqual({
      city: expect.any(String),
      unit: expect.stringMatching(/^[cf]$/),
      days: [expect.any(Number), expect.any(Number)],
      where: { lat: expect.any(Number) },
    });
    expect(args.days.every((day) => day >= 3 && day <= 5)).toBe(true);
  });

  test('that the prompt writes out are called with just these arguments, if they are on offer', async () => {
    const prompt = '[[call get_weather {"city": "Seoul", "where": {"lat": 1}}]] [[call unknown {}]]';
    const { message } = await say(prompt, { tools: [weather, clock] });
    expect(message.tool_calls.map(({ function: called }) => called)).toEqual([
      { name: 'get_weather', arguments: '{"city": "Seoul", "where": {"lat": 1}}' },
    ]);
    const demanded = { type: 'function', function: { name: 'get_time' } };
    const other = await say(prompt, { tools: [weather, clock], tool_choice: demanded });
    expect(other.message.tool_calls).toMatchObject([{ function: { name: 'get_time' } }]);
  });

  test.each([
    ['two named tools are two calls', 'get_time and get_weather', {}, ['get_time', 'get_weather']],
    [
      'one where they may not be parallel',
      'get_time and get_weather',
      { parallel_tool_calls: false },
      ['get_time'],
    ],
    ['a tool that is part of a longer name is not named', 'my_get_time_zone', {}, []],
    ['none under tool_choice none', 'get_time', { tool_choice: 'none' }, []],
    ['one under required, named or not', 'hello', { tool_choice: 'required' }, ['get_weather']],
    [
      'the one that tool_choice names, whatever the prompt says',
      'get_weather',
      { tool_choice: { type: 'function', function: { name: 'get_time' } } },
      ['get_time'],
    ],
  ])('%s', async (_, prompt, more, names) => {
    const { message } = await say(prompt, { tools: [weather, clock], ...more });
    expect((message.tool_calls ?? []).map((call) => call.function.name)).toEqual(names);
  });

  test('that answered are quoted', async () => {
    const { choices } = await complete({
      model: 'sim-chat',
      tools: [clock],
      messages: [
        { role: 'user', content: 'get_time' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'get_time', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'half past nine' },
      ],
    });
    expect(choices[0]).toMatchObject({
      message: { content: expect.stringContaining('half past nine') },
      finish_reason: 'stop',
    });
  });
});

describe('JSON', () => {
  test('of any shape for json_object, and of the shape asked for json_schema', async () => {
    const free = await say('Tell me.', { response_format: { type: 'json_object' } });
    expect(JSON.parse(free.message.content)).toEqual({ answer: expect.any(String) });
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, ok: { type: ['boolean', 'null'] } },
      required: ['name', 'ok'],
    };
    const fitted = await say('Tell me.', {
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    });
    expect(JSON.parse(fitted.message.content)).toEqual({ name: expect.any(String), ok: expect.any(Boolean) });
    const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };
    const bound = await say('Reply with exactly: hello', { response_format });
    expect(JSON.parse(bound.message.content), 'a schema comes before the prompt').toHaveProperty('name');
    const exact = await say('Reply with exactly: {"name":"a","ok":null}', { response_format });
    expect(exact.message.content).toBe('{"name":"a","ok":null}');
  });
});

describe('images', () => {
  const look = (url: string, model = 'sim-chat'): Wire => ({
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ],
  });
  const png = (red: number, green: number, blue: number): string =>
    `data:image/png;base64,${encodePng({ red, green, blue }, 20).toString('base64')}`;

  test('are described by their dominant colour', async () => {
    for (const [url, name] of [
      [png(250, 10, 5), 'red'],
      [png(10, 200, 20), 'green'],
      [png(0, 0, 220), 'blue'],
      [png(250, 250, 250), 'white'],
    ] as const) {
      expect((await complete(look(url))).choices[0]?.message.content).toContain(name);
    }
  });

  test('at an address are named and not fetched', async () => {
    const { choices } = await complete(look('http://127.0.0.1:1/cat.png'));
    expect(choices[0]?.message.content).toContain('http://127.0.0.1:1/cat.png');
  });

  test('that are no images are refused', async () => {
    const { error } = await complete(look('data:image/png;base64,AAAA'));
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_image_format' });
  });

  test('come from sim-image-chat in the colour the prompt names', async () => {
    const { message } = await say('Draw me something blue.', { model: 'sim-image-chat' });
    const url = message.images[0]?.image_url.url ?? '';
    expect(message.images).toEqual([
      { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) } },
    ]);
    expect((await complete(look(url))).choices[0]?.message.content).toContain('blue');
  });

  test('are refused by sim-text-only', async () => {
    const { error } = await complete(look(png(0, 0, 0), 'sim-text-only'));
    expect(error).toEqual({
      message: 'Invalid content type. image_url is only supported by certain models.',
      type: 'invalid_request_error',
      param: 'messages.[0].content.[1].type',
      code: null,
    });
  });
});
