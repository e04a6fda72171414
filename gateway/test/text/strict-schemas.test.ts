/** Strict schemas that OpenAI rejects: the caller gets the provider's sentence, with the caller's own field. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const all = 'capabilities: [tools, json_mode, json_schema, streaming]';
const config = `
providers:
  openai: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
  compatible: { dialect: openai-compatible, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
models:
  openai: { ${all}, routes: [{ provider: openai, model: sim-chat }] }
  compatible: { ${all}, routes: [{ provider: compatible, model: sim-chat }] }
`;
const text = { type: 'string' };
/** Anthropic takes it: one of its properties is optional. */
const schema = {
  ...{ type: 'object', additionalProperties: false },
  ...{ properties: { a: text, b: text }, required: ['a'] },
};
const said = [{ role: 'user', content: 'Hello' }];
const tool = { name: 'own', description: 'Own.' };
const chat = '/v1/chat/completions';
const responses = '/v1/responses';
const messages = '/v1/messages';
const strict = true;

const asked: ReadonlyArray<readonly [what: string, field: string, path: string, body: object]> = [
  [
    'a tool of chat',
    'tools',
    chat,
    { messages: said, tools: [{ type: 'function', function: { ...tool, parameters: schema, strict } }] },
  ],
  [
    'an answer of chat',
    'response_format',
    chat,
    {
      messages: said,
      response_format: { type: 'json_schema', json_schema: { name: 'own', schema, strict } },
    },
  ],
  [
    'a tool of responses',
    'tools',
    responses,
    { input: 'Hello', tools: [{ type: 'function', ...tool, parameters: schema, strict }] },
  ],
  [
    'an answer of responses',
    'text.format',
    responses,
    { input: 'Hello', text: { format: { type: 'json_schema', name: 'own', schema, strict } } },
  ],
  [
    'a tool of messages',
    'tools',
    messages,
    { messages: said, max_tokens: 100, tools: [{ ...tool, input_schema: schema, strict }] },
  ],
];
const cells = ['openai', 'compatible'].flatMap((model) => asked.map((one) => [...one, model] as const));

describe.each(oneEngine('postgres', 'translation'))(
  'a strict schema with an optional property on %s',
  (engine) => {
    let gateway: TestGateway;
    beforeAll(async () => {
      gateway = await startGateway({ engine, config });
    });
    afterAll(() => gateway.stop());

    test.each(cells)('of %s is rejected, naming %s (%s)', async (_, field, path, body, model) => {
      const reply = await gateway.post(path, { model, ...body }, { 'vendor-version': '2023-06-01' });
      const answer = (await reply.json()) as { type: string; detail: string; error: { param: string } };
      expect([reply.status, answer.type]).toEqual([400, 'invalid_parameter']);
      expect(answer.error.param.startsWith(field), answer.error.param).toBe(true);
      expect(answer.detail).toContain("Missing 'b'");
    });
  },
);
