/** What a caller marks for the prompt cache reaches providers with such markers, in their own form. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testConfig } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const capabilities = ['tools', 'streaming'];
const to = (provider: string, model = 'sim-chat'): object => ({
  capabilities,
  routes: [{ provider, model }],
});
const config = testConfig({
  providers: `
  claude: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, api_key: simulator-key }
  chat-only: { dialect: openai-compatible, base_url: SIMULATOR, api_key: simulator-key }
  responses-only: { dialect: openai-responses, base_url: SIMULATOR, api_key: simulator-key }
`,
  models: {
    claude: to('claude'),
    other: to('chat-only'),
    responses: to('responses-only'),
    openai: to('simulator'),
  },
});

describe.each(oneEngine('postgres', 'translation'))('on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
  });
  afterAll(() => gateway.stop());

  async function sent(path: string, body: object): Promise<Record<string, unknown>> {
    const response = await gateway.post(path, body, { 'anthropic-version': '2023-06-01' });
    expect(await response.text()).toContain('"usage"');
    return JSON.parse(gateway.simulator.calls.at(-1)?.text ?? '') as Record<string, unknown>;
  }

  const ephemeral = { type: 'ephemeral' };
  const hour = { type: 'ephemeral', ttl: '1h' };

  test('markers of a chat call, on parts, messages and tools, reach Anthropic', async () => {
    const body = await sent('/v1/chat/completions', {
      model: 'claude',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache_control: hour }] },
        { role: 'user', content: 'One', cache_control: ephemeral },
        { role: 'assistant', content: 'Two' },
        { role: 'user', content: [{ type: 'text', text: 'Three', cache_control: ephemeral }] },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'f', parameters: { type: 'object' } },
          cache_control: ephemeral,
        },
      ],
    });
    expect(body.system).toEqual([{ type: 'text', text: 'Be brief.', cache_control: hour }]);
    expect(JSON.stringify(body.messages)).toBe(
      JSON.stringify([
        { role: 'user', content: [{ type: 'text', text: 'One', cache_control: ephemeral }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Two' }] },
        { role: 'user', content: [{ type: 'text', text: 'Three', cache_control: ephemeral }] },
      ]),
    );
    expect(body.tools).toMatchObject([{ name: 'f', cache_control: ephemeral }]);
  });

  test('prompt_cache_key reaches the other of the two formats of OpenAI', async () => {
    const fromResponses = { model: 'other', input: 'Hi', prompt_cache_key: 'k1' };
    // Servers that only resemble OpenAI may reject the field.
    expect((await sent('/v1/responses', fromResponses)).prompt_cache_key).toBeUndefined();
    const messages = [{ role: 'user', content: 'Hi' }];
    const fromChat = { model: 'responses', messages, prompt_cache_key: 'k2' };
    expect((await sent('/v1/chat/completions', fromChat)).prompt_cache_key).toBe('k2');
    const relayed = { model: 'openai', messages, prompt_cache_key: 'k3' };
    expect((await sent('/v1/chat/completions', relayed)).prompt_cache_key).toBe('k3');
  });

  test('the session of Claude Code becomes the prompt_cache_key of OpenAI', async () => {
    const user_id = JSON.stringify({ device_id: 'd'.repeat(64), session_id: 'a-session' });
    const body = await sent('/v1/messages', {
      model: 'openai',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
      metadata: { user_id },
    });
    expect(body.prompt_cache_key).toBe('a-session');
  });
});
