/** Conversations that providers refuse as they are: put right on the way, or rejected with the caller's own field name. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dialectCases, matrixConfig, modelCode } from '../matrix/dialects.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const arranged: Readonly<Record<string, ReadonlyArray<object>>> = {
  'an assistant message first': [
    { role: 'assistant', content: 'Hello, how can I help?' },
    { role: 'user', content: 'Reply with exactly: ok' },
  ],
  'only a system message': [{ role: 'system', content: 'Reply with exactly: ok' }],
  'blank texts': [
    { role: 'user', content: 'Hi.' },
    { role: 'assistant', content: ' ' },
    {
      role: 'user',
      content: [
        { type: 'text', text: '' },
        { type: 'text', text: 'Reply with exactly: ok' },
      ],
    },
  ],
};
const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at": ' } };
const unparsable = [
  { role: 'user', content: 'Look.' },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
];
const strict = dialectCases.filter(({ name }) => ['anthropic', 'bedrock', 'google'].includes(name));

describe.each(oneEngine('embedded', 'translation'))('turns on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: matrixConfig() });
  });
  afterAll(() => gateway.stop());

  describe.each(strict)('to $name', (dialect) => {
    const model = modelCode(dialect);

    test.each(Object.entries(arranged))('%s: the call is answered', async (_, messages) => {
      const reply = await gateway.chat({ model, messages });
      expect(reply.status, await reply.text()).toBe(200);
    });

    test('arguments of an earlier call that are not JSON are rejected, naming them', async () => {
      const reply = await gateway.chat({ model, messages: unparsable });
      expect([reply.status, await reply.json()]).toMatchObject([
        400,
        { error: { param: 'messages[1].tool_calls[0].function.arguments' } },
      ]);
    });
  });
});
