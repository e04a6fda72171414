import { describe, expect, test } from 'vitest';
import { ask, chunksIn, contentIn, post, userPrompt, type Wire } from './testing/call-simulator.ts';
import { complete, say, simulator } from './testing/chat-stage.ts';

describe('reasoning in chat', () => {
  test('has a text on cue only, before the content', async () => {
    const { message } = await say('[[think]] Reply with exactly: hi');
    expect(message).toMatchObject({
      reasoning_content: 'Thinking about: Reply with exactly: hi…',
      content: 'hi',
    });
    expect((await say('Reply with exactly: hi')).message).not.toHaveProperty('reasoning_content');
    const { text } = await ask(
      simulator.url,
      userPrompt('[[think]] Reply with exactly: hi', { stream: true }),
    );
    const kinds = chunksIn(text).flatMap((chunk) => Object.keys(chunk.choices[0]?.delta ?? {}));
    const reasoning = chunksIn(text).map((chunk) => chunk.choices[0]?.delta.reasoning_content ?? '');
    expect(reasoning.join('')).toBe('Thinking about: Reply with exactly: hi…');
    expect(kinds.lastIndexOf('reasoning_content')).toBeLessThan(kinds.lastIndexOf('content'));
    expect(contentIn(text)).toBe('hi');
  });

  test('is not longer than it is counted, and is silent where there is none', async () => {
    const short = await say('[[think]] Reply with exactly: hi', { reasoning_effort: 'low' });
    const { reasoning_content } = short.message as unknown as { reasoning_content: string };
    const details = short.usage.completion_tokens_details as { reasoning_tokens: number };
    expect(Math.ceil(Buffer.byteLength(reasoning_content) / 4)).toBeLessThanOrEqual(details.reasoning_tokens);
    const classic = await complete(userPrompt('[[think]] hi', { model: 'sim-chat-classic' }));
    expect(classic.choices[0]?.message).not.toHaveProperty('reasoning_content');
  });
});

describe('azure', () => {
  const url = (): string => `${simulator.origin}/openai/v1/chat/completions`;

  test('has headers of its own and opens a stream with a frame without choices', async () => {
    const heard = await post(url(), userPrompt('Reply with exactly: hi', { stream: true }));
    expect(heard.headers).toMatchObject({
      'apim-request-id': expect.any(String),
      'x-ms-region': expect.any(String),
    });
    expect(heard.headers).not.toHaveProperty('openai-organization');
    expect(chunksIn(heard.text)[0]).toMatchObject({
      choices: [],
      prompt_filter_results: [{ prompt_index: 0 }],
    });
    expect(contentIn(heard.text)).toBe('hi');
  });

  test('has the other endpoints of OpenAI too', async () => {
    const answer = await fetch(`${simulator.origin}/openai/v1/models`);
    expect(((await answer.json()) as { object: string }).object).toBe('list');
    const elsewhere = (await (await fetch(`${simulator.origin}/openai/none`)).json()) as { error: Wire };
    expect(elsewhere.error).toMatchObject({ code: '404' });
  });
});
