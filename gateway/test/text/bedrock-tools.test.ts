/** Tools on Bedrock: histories without tools, choices that Converse has no word for, and schemas that models hold to. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Format, formats } from '../matrix/ask.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { wordsOf } from '../support/references-stage.ts';
import { TOOL, type ToolConversation, toolRequest } from '../support/tool-media-stage.ts';

const route = (model: string): string => `routes: [{ provider: bedrock, model: "${model}" }]`;
const config = `
providers:
  bedrock: { dialect: bedrock, base_url: SIMULATOR_ORIGIN, api_key: simulator-key }
models:
  claude: { capabilities: [vision, tools, json_schema, streaming], ${route('sim-us.anthropic.claude-sonnet-4-5-v1:0')} }
  newest: { capabilities: [vision, tools, streaming], ${route('sim-us.anthropic.claude-opus-4-8-v1:0')} }
  llama: { capabilities: [tools, streaming], ${route('sim-us.meta.llama4-maverick-v1:0')} }
`;

interface Converse {
  readonly messages: ReadonlyArray<{ readonly content: ReadonlyArray<Record<string, unknown>> }>;
  readonly toolConfig?: {
    readonly tools: ReadonlyArray<{
      readonly toolSpec: { readonly name: string; readonly strict?: boolean };
    }>;
    readonly toolChoice?: object;
  };
  readonly outputConfig?: object;
}

describe.each(oneEngine('embedded', 'translation'))('tools on Bedrock on %s', (engine) => {
  let gateway: TestGateway;
  let openai: OpenAI;
  let anthropic: Anthropic;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
    openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 });
  });
  afterAll(() => gateway.stop());

  const sent = (): Converse => gateway.simulator.calls.at(-1)?.body as Converse;

  async function ask(format: Format, given: ToolConversation, more: object): Promise<string> {
    const { path, headers, body } = toolRequest(format, given, more);
    const reply = await gateway.post(path, body, headers);
    const text = await reply.text();
    expect(reply.status, text).toBe(200);
    return text;
  }

  const cells = formats.flatMap((format) =>
    ['claude', 'newest', 'llama'].flatMap((model) =>
      [false, true].map((stream) => [format, model, stream] as const),
    ),
  );

  test.each(cells)(
    '%s to %s (streamed: %s): a history of calls is answered without tools',
    async (...cell) => {
      const [format, model, stream] = cell;
      const results = { 'call_1|fc:x': ['sunny'], [`toolu_${'b'.repeat(80)}`]: [''] };
      for (const more of [
        { tools: undefined },
        { tool_choice: format === 'messages' ? { type: 'none' } : 'none' },
      ]) {
        const text = await ask(format, { results }, { model, stream, ...more });
        expect(wordsOf(text)).toContain('The tool answered: sunny');
        expect(sent().toolConfig?.tools.map(({ toolSpec }) => toolSpec.name)).toEqual([TOOL]);
        expect(sent().toolConfig).not.toHaveProperty('toolChoice');
      }
    },
  );

  test.each(cells)('%s to %s (streamed: %s): a call that nobody allowed is not shown', async (...cell) => {
    const [format, model, stream] = cell;
    const then = `Well. [[call ${TOOL} {"at":"secret-place"}]]`;
    const given = { results: { call_1: ['sunny'] }, then };
    const text = await ask(format, given, { model, stream, tools: undefined });
    expect(text).not.toMatch(/secret|"(?:tool_calls|tool_use|function_call)"/);
    expect(text).toMatch(/"finish_reason":"stop"|"status":"completed"|"stop_reason":"end_turn"/);
    // The same call is shown to a caller who offers the tool.
    expect(await ask(format, given, { model, stream })).toContain(`"name":"${TOOL}"`);
  });

  test('a required call without tools is rejected, not sent without its requirement', async () => {
    const before = gateway.simulator.calls.length;
    const reply = await gateway.chat({
      model: 'claude',
      messages: [{ role: 'user', content: 'Hi' }],
      tool_choice: 'required',
    });
    expect([reply.status, await reply.json()]).toMatchObject([400, { error: { param: 'tool_choice' } }]);
    expect(gateway.simulator.calls).toHaveLength(before);
  });

  const box = {
    type: 'object',
    properties: { size: { type: 'integer', minimum: 1 }, name: { type: 'string' } },
    required: ['size', 'name'],
    additionalProperties: false,
  };

  test('a schema for the answer is held to, from both SDKs', async () => {
    const chat = await openai.chat.completions.create({
      model: 'claude',
      messages: [{ role: 'user', content: 'A box' }],
      response_format: { type: 'json_schema', json_schema: { name: 'box', schema: box, strict: true } },
    });
    expect(JSON.parse(chat.choices[0]?.message.content ?? '')).toMatchObject({ size: expect.any(Number) });
    expect(sent().outputConfig).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: { jsonSchema: { name: 'box', schema: expect.stringContaining('{minimum: 1}') } },
      },
    });
    const message = await anthropic.messages.create({
      model: 'claude',
      max_tokens: 500,
      messages: [{ role: 'user', content: 'A box' }],
      output_config: { format: { type: 'json_schema', schema: box } },
    });
    const [block] = message.content;
    expect(JSON.parse(block?.type === 'text' ? block.text : '')).toMatchObject({ size: expect.any(Number) });
  });

  test('a strict tool is strict where the model holds to schemas, and a tool elsewhere', async () => {
    const tools = [{ type: 'function', function: { name: 'pack', parameters: box, strict: true } }];
    for (const [model, strict] of [
      ['claude', true],
      ['newest', undefined],
    ] as const) {
      const reply = await gateway.chat({ model, messages: [{ role: 'user', content: 'Use pack' }], tools });
      expect(await reply.json()).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
      expect(sent().toolConfig?.tools[0]?.toolSpec.strict).toBe(strict);
    }
    const refused = await gateway.chat({
      model: 'newest',
      messages: [{ role: 'user', content: 'A box' }],
      response_format: { type: 'json_schema', json_schema: { name: 'box', schema: box } },
    });
    expect(await refused.json()).toMatchObject({ type: 'response_format_not_supported' });
  });

  test('one call at a time reaches Claude with every choice', async () => {
    const tools = ['first', 'second'].map((name) => ({ type: 'function', function: { name } }));
    for (const tool_choice of [
      undefined,
      'auto',
      'required',
      { type: 'function', function: { name: 'second' } },
    ]) {
      const reply = await gateway.chat({
        ...{ model: 'claude', tools, tool_choice, parallel_tool_calls: false },
        messages: [{ role: 'user', content: 'Use first and second' }],
      });
      const { choices } = (await reply.json()) as OpenAI.ChatCompletion;
      expect(choices[0]?.message.tool_calls).toHaveLength(1);
    }
    const elsewhere = await gateway.chat({
      ...{ model: 'llama', tools, parallel_tool_calls: false },
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(await elsewhere.json()).toMatchObject({ error: { param: 'parallel_tool_calls' } });
  });

  test('the sequence that stopped Claude is named, streamed or not', async () => {
    const asked = {
      ...{ model: 'claude', max_tokens: 500, stop_sequences: ['never', 'STOP'] },
      messages: [{ role: 'user' as const, content: 'Reply with exactly: one STOP two' }],
    };
    expect(await anthropic.messages.create(asked)).toMatchObject({
      ...{ stop_reason: 'stop_sequence', stop_sequence: 'STOP' },
    });
    expect(await anthropic.messages.stream(asked).finalMessage()).toMatchObject({
      ...{ stop_reason: 'stop_sequence', stop_sequence: 'STOP' },
    });
  });
});
