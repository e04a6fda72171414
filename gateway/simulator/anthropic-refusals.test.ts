import { describe, expect, test } from 'vitest';
import { clock, create, refusal, send, simulator } from './testing/anthropic-stage.ts';
import type { Wire } from './testing/call-simulator.ts';

const thinking = { type: 'enabled', budget_tokens: 1_024 };

describe('a request is turned down as Anthropic would', () => {
  const blocks = (...content: Wire[]): Wire => ({ messages: [{ role: 'user', content }] });
  test.each<[string, Wire, string]>([
    ['a foreign field', { seed: 1 }, 'seed: Extra inputs are not permitted'],
    [
      'a foreign field of a block',
      blocks({ type: 'text', text: 'a', x: 1 }),
      'messages.0.content.0.text.x: Extra inputs are not permitted',
    ],
    ['no cap', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['a hot temperature', { temperature: 1.5 }, 'temperature: Input should be less than or equal to 1'],
    [
      'a blank stop sequence',
      { stop_sequences: ['\n'] },
      'stop_sequences: each stop sequence must contain non-whitespace',
    ],
    ['an empty text', blocks({ type: 'text', text: '' }), 'messages: text content blocks must be non-empty'],
    [
      'a message of a developer',
      { messages: [{ role: 'developer', content: 'x' }] },
      'messages: Unexpected role "developer". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    ],
    [
      'an assistant who begins',
      { messages: [{ role: 'assistant', content: 'x' }] },
      'messages: first message must use the "user" role',
    ],
    [
      'a choice of no tools',
      { tool_choice: { type: 'any' } },
      'tool_choice.any may only be specified while providing tools',
    ],
    [
      'a forced tool while thinking',
      { thinking, tools: [clock], tool_choice: { type: 'any' } },
      'Thinking may not be enabled when tool_choice forces tool use.',
    ],
    [
      'a temperature while thinking',
      { thinking, temperature: 0 },
      '`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.',
    ],
    [
      'a budget beyond the cap',
      { thinking, max_tokens: 1_000 },
      '`max_tokens` must be greater than `thinking.budget_tokens`.',
    ],
    [
      'an open schema',
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    ],
    [
      'a bounded number',
      {
        output_config: {
          format: { type: 'json_schema', schema: { type: 'integer', minimum: 1, maximum: 2 } },
        },
      },
      "output_config.format.schema: For 'integer' type, properties maximum, minimum are not supported",
    ],
    ['a tool without a schema', { tools: [{ name: 'a' }] }, 'tools.0.custom.input_schema: Field required'],
    [
      'a broken picture',
      blocks({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }),
      'Could not process image',
    ],
    [
      'too long a prompt',
      { model: 'sim-small-context', messages: [{ role: 'user', content: 'x'.repeat(4_004) }] },
      'prompt is too long: 1001 tokens > 1000 maximum',
    ],
  ])('%s', async (_, body, message) => {
    const heard = await send({ messages: [{ role: 'user', content: 'hi' }], ...body });
    expect(heard.status).toBe(400);
    expect(JSON.parse(heard.text)).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message },
      request_id: heard.headers['request-id'],
    });
  });

  test('no version, no such model, no such path', async () => {
    expect(await refusal({}, { 'anthropic-version': '' })).toBe('anthropic-version: header is required');
    const gone = await create({ model: 'claude-none', messages: [{ role: 'user', content: 'hi' }] });
    expect(gone.error).toEqual({ type: 'not_found_error', message: 'model: claude-none' });
    const elsewhere = await send({}, {}, '/none');
    expect(JSON.parse(elsewhere.text)).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
  });
});

test('the models are listed page by page', async () => {
  const names: string[] = [];
  for (let after = ''; ; ) {
    const answer = await fetch(`${simulator.url}/models?limit=30&after_id=${after}`, {
      headers: { 'anthropic-version': '2023-06-01' },
    });
    const page = (await answer.json()) as { data: Array<{ id: string }>; has_more: boolean; last_id: string };
    names.push(...page.data.map((model) => model.id));
    if (!page.has_more) break;
    after = page.last_id;
  }
  expect(names).toEqual(expect.arrayContaining(['sim-chat', 'sim-fault-hang']));
  expect(new Set(names).size).toBe(names.length);
});
