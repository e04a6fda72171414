/** Thinking on Bedrock: every format can ask for it, each maker has its own fields for it, and tool loops send signed thoughts back. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const all = 'capabilities: [vision, tools, json_schema, streaming]';
const models: Readonly<Record<string, string>> = {
  sonnet: 'sim-eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  opus: 'sim-us.anthropic.claude-opus-4-8-v1:0',
  newest: 'sim-global.anthropic.claude-opus-5-5-v1:0',
  nova: 'sim-us.amazon.nova-2-lite-v1:0',
  'gpt-oss': 'sim-us.openai.gpt-oss-120b-1:0',
  llama: 'sim-us.meta.llama4-maverick-v1:0',
};
const config = `
providers:
  bedrock: { dialect: bedrock, base_url: SIMULATOR_ORIGIN, api_key: simulator-key }
models:
${Object.entries(models)
  .map(([code, model]) => `  ${code}: { ${all}, routes: [{ provider: bedrock, model: "${model}" }] }`)
  .join('\n')}
`;

interface Converse {
  readonly messages: ReadonlyArray<{ readonly content: ReadonlyArray<Record<string, unknown>> }>;
  readonly inferenceConfig?: object;
  readonly additionalModelRequestFields?: object;
}

describe.each(oneEngine('embedded', 'translation'))('thinking on Bedrock on %s', (engine) => {
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
  const tools = [{ name: 'look', input_schema: { type: 'object' as const, properties: {} } }];

  test.each([
    ['sonnet', { thinking: { type: 'enabled', budget_tokens: 16_384 } }],
    ['opus', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
    ['newest', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
    ['nova', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } }],
    ['gpt-oss', { reasoning_effort: 'high' }],
    ['llama', undefined],
  ] as const)('an effort reaches %s as %o, and its thoughts come back', async (model, fields) => {
    for (const stream of [false, true]) {
      const reply = await gateway.chat({
        ...{ model, stream, reasoning_effort: 'high' },
        messages: [{ role: 'user', content: 'Reply with exactly: Done' }],
      });
      const text = await reply.text();
      expect(reply.status, text).toBe(200);
      if (fields === undefined) expect(sent()).not.toHaveProperty('additionalModelRequestFields');
      else expect(sent().additionalModelRequestFields).toMatchObject(fields);
      expect(text.includes('"reasoning_content"')).toBe(fields !== undefined);
    }
  });

  test('a temperature beside an effort does not stop the call', async () => {
    for (const model of ['sonnet', 'opus', 'newest', 'nova', 'gpt-oss']) {
      const reply = await openai.chat.completions.create({
        ...{ model, reasoning_effort: 'low', temperature: 0.3, top_p: 0.9, max_completion_tokens: 4_000 },
        messages: [{ role: 'user', content: 'Reply with exactly: Done' }],
      });
      expect(reply.choices[0]?.message.content).toBe('Done');
    }
  });

  test.each(['sonnet', 'opus', 'newest'])(
    'the tool loop of Anthropic’s SDK keeps the thoughts of %s, signed',
    async (model) => {
      const thinking =
        model === 'sonnet'
          ? ({ type: 'enabled', budget_tokens: 2_000 } as const)
          : ({ type: 'adaptive', display: 'summarized' } as const);
      const question = { role: 'user' as const, content: 'Use look, please' };
      const asked = { model, max_tokens: 6_000, thinking, tools };
      for (const streamed of [false, true]) {
        const given = { ...asked, messages: [question] };
        const first = streamed
          ? await anthropic.messages.stream(given).finalMessage()
          : await anthropic.messages.create(given);
        expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
        const [thought, call] = first.content;
        if (call?.type !== 'tool_use' || thought?.type !== 'thinking') return expect.fail('no call');
        expect(thought.thinking).toMatch(/^Thinking about/);
        const result = { type: 'tool_result' as const, tool_use_id: call.id, content: 'nice' };
        const second = await anthropic.messages.create({
          ...asked,
          messages: [
            question,
            { role: 'assistant', content: first.content },
            { role: 'user', content: [result] },
          ],
        });
        expect(second.content.at(-1)).toMatchObject({ text: 'The tool answered: nice' });
        expect(sent().messages[1]?.content[0]).toMatchObject({
          reasoningContent: {
            reasoningText: { text: thought.thinking, signature: expect.stringMatching(/^EqoB/) },
          },
        });
        expect(sent().additionalModelRequestFields).toMatchObject({ thinking: { type: thinking.type } });
      }
    },
  );

  test('a tool loop of chat, which cannot carry thoughts, goes on without them', async () => {
    const call = { id: 'call_1', type: 'function' as const, function: { name: 'look', arguments: '{}' } };
    for (const model of ['sonnet', 'opus', 'newest']) {
      const reply = await openai.chat.completions.create({
        ...{ model, reasoning_effort: 'high' },
        messages: [
          { role: 'user', content: 'Look' },
          { role: 'assistant', tool_calls: [call] },
          { role: 'tool', tool_call_id: 'call_1', content: 'nice' },
        ],
        tools: [{ type: 'function', function: { name: 'look' } }],
      });
      expect(reply.choices[0]?.message.content).toBe('The tool answered: nice');
    }
  });

  test('a response by its id carries the thoughts, and a schema beside an effort is held to', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const first = await openai.responses.create({
      ...{ model: 'sonnet', input: 'Use look, please', reasoning: { effort: 'low', summary: 'auto' } },
      tools: [{ type: 'function', name: 'look', parameters: {}, strict: false }],
    });
    const call = first.output.find(({ type }) => type === 'function_call') as { call_id: string };
    const second = await openai.responses.create({
      ...{ model: 'sonnet', previous_response_id: first.id, reasoning: { effort: 'low' } },
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'nice' }],
      tools: [{ type: 'function', name: 'look', parameters: {}, strict: false }],
    });
    expect(second.output_text).toBe('The tool answered: nice');
    expect(JSON.stringify(sent().messages)).toContain('"signature":"EqoB');
    const shaped = await openai.responses.create({
      ...{ model: 'sonnet', input: 'Anything', reasoning: { effort: 'low' } },
      text: { format: { type: 'json_schema', name: 'a', schema, strict: true } },
    });
    expect(JSON.parse(shaped.output_text)).toEqual({ a: expect.any(String) });
    expect(sent()).toMatchObject({ outputConfig: {}, additionalModelRequestFields: { thinking: {} } });
  });

  test('thoughts of Claude are not sent to another maker’s model', async () => {
    const question = { role: 'user' as const, content: 'Reply with exactly: One' };
    const thinking = { type: 'enabled', budget_tokens: 2_000 } as const;
    const first = await anthropic.messages.create({
      ...{ model: 'sonnet', max_tokens: 6_000, thinking, messages: [question] },
    });
    const second = await anthropic.messages.create({
      ...{ model: 'llama', max_tokens: 500 },
      messages: [question, { role: 'assistant', content: first.content }, question],
    });
    expect(second.content).toMatchObject([{ type: 'text', text: 'One' }]);
    expect(JSON.stringify(sent().messages)).not.toContain('reasoningContent');
  });

  test('thinking that must be off is off, or as little as the model can', async () => {
    for (const [model, fields] of [
      ['sonnet', { thinking: { type: 'disabled' } }],
      ['opus', { thinking: { type: 'disabled' } }],
      ['newest', { output_config: { effort: 'low' } }],
      ['nova', { reasoningConfig: { type: 'disabled' } }],
      ['gpt-oss', { reasoning_effort: 'low' }],
    ] as const) {
      const reply = await openai.chat.completions.create({
        ...{
          model,
          reasoning_effort: 'none',
          messages: [{ role: 'user', content: 'Reply with exactly: Done' }],
        },
      });
      expect(reply.choices[0]?.message.content).toBe('Done');
      expect(sent().additionalModelRequestFields).toMatchObject(fields);
    }
  });
});
