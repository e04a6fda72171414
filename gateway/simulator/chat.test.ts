import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodePng } from './brain/png.ts';
import { countTokens } from './brain/tokens.ts';
import { ask, askJson, userPrompt, type Wire } from './call-simulator.ts';
import { type Simulator, startSimulator } from './simulator.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

interface Completion {
  readonly choices: Array<{ index: number; message: Message; finish_reason: string }>;
  readonly usage: Wire & { completion_tokens: number; prompt_tokens: number };
  readonly error: Wire;
}
interface Message {
  readonly content: string;
  readonly refusal: string | null;
  readonly tool_calls: Array<{ id: string; type: string; function: { name: string; arguments: string } }>;
  readonly images: Array<{ type: string; image_url: { url: string } }>;
}

async function complete(body: Wire): Promise<Completion> {
  return (await askJson(simulator.url, body)) as unknown as Completion;
}

async function say(text: string, more: Wire = {}): Promise<Completion['choices'][0] & { usage: Wire }> {
  const { choices, usage } = await complete(userPrompt(text, more));
  return { ...(choices[0] as Completion['choices'][0]), usage };
}

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

describe('the completion', () => {
  test('has the fields, the dated model name and the headers of OpenAI', async () => {
    const heard = await ask(simulator.url, userPrompt('Reply with exactly: hi'));
    const body = JSON.parse(heard.text) as Wire;
    expect(body).toMatchObject({
      object: 'chat.completion',
      model: 'sim-chat-2026-01-01',
      service_tier: 'default',
      system_fingerprint: expect.stringMatching(/^fp_/),
      id: expect.stringMatching(/^chatcmpl-\w{29}$/),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'hi', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
    });
    expect(heard.headers).toMatchObject({
      'x-request-id': simulator.calls.at(-1)?.id,
      'openai-organization': expect.any(String),
      'openai-processing-ms': expect.stringMatching(/^\d+$/),
    });
  });

  test('is the same for the same prompt and seed, and another for another', async () => {
    const text = async (more: Wire, prompt = 'Tell me.'): Promise<string> =>
      (await say(prompt, more)).message.content;
    const first = await text({ seed: 1 });
    expect(first.split(' ').length).toBeGreaterThan(10);
    expect(await text({ seed: 1 })).toBe(first);
    expect(await text({ seed: 2 })).not.toBe(first);
    expect(await text({ seed: 1 }, 'Tell me more.')).not.toBe(first);
  });

  test('has as many words as the prompt asks for', async () => {
    expect((await say('Write 37 words.')).message.content.split(' ')).toHaveLength(37);
  });

  test('comes n times, each with its index and its own text', async () => {
    const { choices } = await complete(userPrompt('Tell me.', { n: 3 }));
    expect(choices.map((choice) => choice.index)).toEqual([0, 1, 2]);
    expect(new Set(choices.map((choice) => choice.message.content)).size).toBe(3);
  });

  test('stops before a stop sequence, be it one or a list', async () => {
    expect(await say('Reply with exactly: one two three', { stop: ' two' })).toMatchObject({
      message: { content: 'one' },
      finish_reason: 'stop',
    });
    expect(
      (await say('Reply with exactly: one two three', { stop: ['x', 'three', 'two'] })).message.content,
    ).toBe('one ');
  });

  test('ends with length at the output cap, and never passes it', async () => {
    const { finish_reason, usage, message } = await say('Tell me.', { max_completion_tokens: 6 });
    expect(finish_reason).toBe('length');
    expect(usage.completion_tokens).toBe(6);
    expect(message.content).toHaveLength(12);
    const korean = await say(`Reply with exactly: ${'가나다'.repeat(9)}`, {
      max_completion_tokens: 4,
      reasoning_effort: 'none',
    });
    expect(korean.message.content).toBe('가나다가나');
  });

  test('is cut short by the content filter, and refuses in words of its own, on cue', async () => {
    expect((await say('[[filter]] Tell me.')).finish_reason).toBe('content_filter');
    expect(await say('[[refuse]] Tell me.')).toMatchObject({
      message: { content: null, refusal: expect.stringMatching(/can't help/) },
      finish_reason: 'stop',
    });
  });
});

describe('usage', () => {
  test('follows from the texts by one token for four bytes', async () => {
    const { usage } = await complete({
      model: 'sim-chat-classic',
      messages: [
        { role: 'system', content: '[[cached 3]] You are brief.' },
        { role: 'user', content: 'Reply with exactly: 안녕하세요' },
      ],
    });
    const input = countTokens('[[cached 3]] You are brief.') + countTokens('Reply with exactly: 안녕하세요');
    const output = countTokens('안녕하세요');
    expect([countTokens(''), countTokens('a'), output]).toEqual([0, 1, 4]);
    expect(usage).toMatchObject({
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
  });

  test('has reasoning tokens by the effort, none for none and minimal', async () => {
    const reasoning = async (effort?: string): Promise<number> => {
      const { usage } = await complete(
        userPrompt('Reply with exactly: hi', effort === undefined ? {} : { reasoning_effort: effort }),
      );
      const { reasoning_tokens } = usage.completion_tokens_details as { reasoning_tokens: number };
      expect(usage.completion_tokens).toBe(reasoning_tokens + 1);
      return reasoning_tokens;
    };
    const usual = await reasoning();
    expect(usual).toBeGreaterThan(0);
    expect(await reasoning('high')).toBe(usual * 2);
    expect(await reasoning('none')).toBe(0);
    expect(await reasoning('minimal')).toBe(0);
  });
});

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

describe('a request is turned down as OpenAI would', () => {
  test('newer models take max_completion_tokens only, the classic one takes both', async () => {
    expect((await complete(userPrompt('hi', { max_tokens: 5 }))).error).toEqual({
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      type: 'invalid_request_error',
      param: 'max_tokens',
      code: 'unsupported_parameter',
    });
    for (const cap of ['max_tokens', 'max_completion_tokens']) {
      const { usage } = await complete(userPrompt('hi', { model: 'sim-chat-classic', [cap]: 2 }));
      expect(usage.completion_tokens).toBe(2);
    }
  });

  test.each<[string, Wire | string, number, Wire]>([
    ['a body that is not JSON', '{"model":', 400, { type: 'invalid_request_error' }],
    ['no messages', { model: 'sim-chat' }, 400, { param: 'messages', code: 'missing_required_parameter' }],
    ['empty messages', { model: 'sim-chat', messages: [] }, 400, { param: 'messages', code: 'empty_array' }],
    [
      'no model',
      { messages: [{ role: 'user', content: 'x' }] },
      400,
      { message: 'you must provide a model parameter' },
    ],
    [
      'a strange role',
      { model: 'sim-chat', messages: [{ role: 'x', content: '' }] },
      400,
      { param: 'messages[0].role' },
    ],
    ['n of zero', userPrompt('x', { n: 0 }), 400, { param: 'n', code: 'integer_below_min_value' }],
    [
      'stream options without a stream',
      userPrompt('x', { stream_options: {} }),
      400,
      { param: 'stream_options' },
    ],
    ['a model it does not have', userPrompt('x', { model: 'gpt-none' }), 404, { code: 'model_not_found' }],
    ['a model that does not chat', userPrompt('x', { model: 'sim-embed' }), 404, { param: 'model' }],
    [
      'a fault it does not have',
      userPrompt('x', { model: 'sim-fault-none' }),
      404,
      { code: 'model_not_found' },
    ],
    [
      'JSON from a model that writes none',
      userPrompt('x', { model: 'sim-no-json', response_format: { type: 'json_object' } }),
      400,
      { param: 'response_format' },
    ],
    [
      'a prompt beyond the context',
      userPrompt('x'.repeat(4_004), { model: 'sim-small-context' }),
      400,
      {
        message:
          "This model's maximum context length is 1000 tokens. However, your messages resulted in 1001 tokens. Please reduce the length of the messages.",
        param: 'messages',
        code: 'context_length_exceeded',
      },
    ],
    [
      'a prompt and a cap that are beyond it together',
      userPrompt('x'.repeat(3_600), { model: 'sim-small-context', max_completion_tokens: 101 }),
      400,
      { message: expect.stringContaining('you requested 1001 tokens'), code: 'context_length_exceeded' },
    ],
  ])('%s', async (_, body, status, error) => {
    const heard = await ask(simulator.url, body);
    expect(heard.status).toBe(status);
    expect(JSON.parse(heard.text)).toMatchObject({ error });
  });
});
