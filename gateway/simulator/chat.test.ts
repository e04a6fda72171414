import { describe, expect, test } from 'vitest';
import { countTokens } from './brain/tokens.ts';
import { ask, userPrompt, type Wire } from './testing/call-simulator.ts';
import { complete, say, simulator } from './testing/chat-stage.ts';

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
