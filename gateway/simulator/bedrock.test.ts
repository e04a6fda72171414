import { createHash, createHmac } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../src/kernel/time.ts';
import { startSimulator } from './simulator.ts';
import { type Asking, type Heard, post, type Wire } from './testing/call-simulator.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const simulator = await startSimulator({ apiKey: SECRET });
afterAll(() => simulator.stop());

const said = (text: string): Wire => ({ messages: [{ role: 'user', content: [{ text }] }] });
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Signing {
  readonly secret?: string;
  readonly service?: string;
  readonly atMs?: number;
  readonly names?: string;
  readonly path?: string;
  readonly body?: Wire;
}

/** Signs by the letter of the rules, for the one path that is called. */
function signed(body: Wire, wrong: Signing = {}): Record<string, string> {
  const { host } = new URL(simulator.origin);
  const { service = 'bedrock', names = 'host;x-amz-date', path = '/model/sim-chat/converse' } = wrong;
  const at = wrong.atMs ?? systemClock.now();
  const date = `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const scope = `${date.slice(0, 8)}/us-east-1/${service}/aws4_request`;
  const known: Record<string, string> = { host, 'x-amz-date': date };
  const lines = names.split(';').map((name) => `${name}:${known[name]}\n`);
  const request = `POST\n${path}\n\n${lines.join('')}\n${names}\n${sha256(JSON.stringify(wrong.body ?? body))}`;
  const key = scope.split('/').reduce<Buffer | string>(hmac, `AWS4${wrong.secret ?? SECRET}`);
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(request)}`).toString('hex');
  return {
    'x-amz-date': date,
    authorization: `AWS4-HMAC-SHA256 Credential=AKID/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function converse(body: Wire, asking: Asking = { headers: signed(body) }): Promise<Heard> {
  return post(`${simulator.origin}/model/sim-chat/converse`, body, asking);
}

describe('a signature', () => {
  test('that is right is taken, and so is the key as a bearer', async () => {
    const body = said('Reply with exactly: hi');
    for (const asking of [{ headers: signed(body) }, { key: SECRET }]) {
      const heard = await converse(body, asking);
      expect(heard.status).toBe(200);
      expect(JSON.parse(heard.text)).toMatchObject({
        output: { message: { content: [{ text: 'hi' }], role: 'assistant' } },
        stopReason: 'end_turn',
      });
    }
  });

  test.each<[string, Signing]>([
    ['by another secret', { secret: 'another' }],
    ['for another service', { service: 'service' }],
    ['of another path', { path: '/model/sim-chat-classic/converse' }],
    ['of another body', { body: said('Something else') }],
    ['of an hour ago', { atMs: systemClock.now() - 3_600_000 }],
    ['that leaves the host out', { names: 'x-amz-date' }],
  ])('%s is refused', async (_, wrong) => {
    const body = said('hi');
    const heard = await converse(body, { headers: signed(body, wrong) });
    expect([heard.status, heard.headers['x-amzn-errortype']]).toEqual([403, 'InvalidSignatureException']);
  });

  test('that is missing, or no signature, is refused', async () => {
    expect((await converse(said('hi'), {})).headers['x-amzn-errortype']).toBe(
      'MissingAuthenticationTokenException',
    );
    const nonsense = { headers: { authorization: 'AWS4-HMAC-SHA256 Credential=AKID' } };
    expect((await converse(said('hi'), nonsense)).status).toBe(403);
  });
});

test.each<[string, Wire]>([
  ['must start with a user message', { messages: [{ role: 'assistant', content: [{ text: 'x' }] }] }],
  ['must alternate', { messages: [...(said('a').messages as Wire[]), ...(said('b').messages as Wire[])] }],
  ['is blank', said(' ')],
  ['is empty', { messages: [{ role: 'user', content: [] }] }],
  ['extraneous key [top_k]', { ...said('x'), top_k: 4 }],
  ['extraneous key [topK]', { ...said('x'), inferenceConfig: { topK: 4 } }],
  ['toolConfig field must be defined', { messages: [{ role: 'user', content: [{ toolResult: {} }] }] }],
  ['maxTokens', { ...said('x'), inferenceConfig: { maxTokens: 0 } }],
])('what Bedrock would refuse is refused: %s', async (message, body) => {
  const heard = await converse(body);
  expect([heard.status, heard.headers['x-amzn-errortype']]).toEqual([400, 'ValidationException']);
  expect((JSON.parse(heard.text) as { message: string }).message).toContain(message);
});

const CLAUDE = 'sim-us.anthropic.claude-sonnet-4-5-v1:0';
const NEWEST = 'sim-us.anthropic.claude-opus-5-5-v1:0';
const NOVA = 'sim-us.amazon.nova-2-lite-v1:0';
const LLAMA = 'sim-us.meta.llama4-maverick-v1:0';
const user = (...content: Wire[]): Wire => ({ messages: [{ role: 'user', content }] });
const picture = { format: 'png', source: { bytes: 'AAAA' } };
const paper = (name: string): Wire => ({ document: { format: 'pdf', name, source: { bytes: 'AAAA' } } });
const toolConfig = (more: Wire = {}): Wire => ({
  tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } }, ...more } }],
});
const called = (result: Wire, use: Wire = {}): Wire => ({
  toolConfig: toolConfig(),
  messages: [
    { role: 'user', content: [{ text: 'x' }] },
    { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'f', input: {}, ...use } }] },
    { role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ text: 'r' }], ...result } }] },
  ],
});
const fields = (more: Wire): Wire => ({ ...said('x'), additionalModelRequestFields: more });
const format = (schema: unknown): Wire => ({
  ...said('x'),
  outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema } } } },
});
const CLOSED = JSON.stringify({ type: 'object', properties: {}, additionalProperties: false });

test.each<[string, string, Wire]>([
  [CLAUDE, 'enum value set: [gif, jpeg, png, webp]', user({ image: { ...picture, format: 'bmp' } })],
  [CLAUDE, 'not valid base64', user({ image: { format: 'png', source: { bytes: 'a b' } } })],
  [CLAUDE, 'must set one of the following keys', user({ image: picture, text: 'x' })],
  [CLAUDE, 'extraneous key [url]', user({ image: { ...picture, url: 'x' } })],
  [CLAUDE, 'no text block', user(paper('a'))],
  [CLAUDE, 'duplicate document names', user(paper('a'), paper('a'), { text: 'x' })],
  [CLAUDE, 'The document file name can only contain', user(paper('a.pdf'), { text: 'x' })],
  [CLAUDE, 'toolUseId', called({ toolUseId: 'a b' })],
  [CLAUDE, 'toolUse.name', called({}, { name: 'a.b' })],
  [CLAUDE, 'ToolResultBlock object', called({ content: [] })],
  [CLAUDE, 'is blank', called({ content: [{ text: '' }] })],
  [CLAUDE, 'must be type "text" if "is_error"', called({ content: [{ image: picture }], status: 'error' })],
  [LLAMA, 'image field in the content of a toolResult', called({ content: [{ image: picture }] })],
  [CLAUDE, 'description', { ...said('x'), toolConfig: toolConfig({ description: '' }) }],
  [NEWEST, 'custom.strict: Extra inputs', { ...said('x'), toolConfig: toolConfig({ strict: true }) }],
  [CLAUDE, "'additionalProperties' must be", { ...said('x'), toolConfig: toolConfig({ strict: true }) }],
  [NEWEST, 'output_config.format: Extra inputs', format(CLOSED)],
  [CLAUDE, 'Member must be a string', format({ type: 'object' })],
  [CLAUDE, 'not a valid JSON schema', format('{')],
  [CLAUDE, "doesn't support the effort field", { ...said('x'), outputConfig: { effort: 'low' } }],
  [CLAUDE, 'serviceTier.type', { ...said('x'), serviceTier: { type: 'fast' } }],
  [LLAMA, 'extraneous key [thinking]', fields({ thinking: {} })],
  [LLAMA, 'cache point', user({ text: 'x' }, { cachePoint: { type: 'default' } })],
  [NOVA, 'cache point', user({ text: 'x' }, { cachePoint: { type: 'default', ttl: '1h' } })],
  [NOVA, 'reasoning config value is invalid', fields({ reasoningConfig: { type: 'enabled' } })],
  [
    NOVA,
    'maxTokens must be unset',
    {
      ...fields({ reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } }),
      inferenceConfig: { maxTokens: 9 },
    },
  ],
  [CLAUDE, 'adaptive thinking is not supported', fields({ thinking: { type: 'adaptive' } })],
  [NEWEST, '"thinking.type.enabled"', fields({ thinking: { type: 'enabled', budget_tokens: 2_000 } })],
  [
    CLAUDE,
    'may only be set to 1 when thinking',
    {
      ...fields({ thinking: { type: 'enabled', budget_tokens: 2_000 } }),
      inferenceConfig: { temperature: 0.5 },
    },
  ],
  [CLAUDE, 'cannot both be specified', { ...said('x'), inferenceConfig: { temperature: 0.5, topP: 0.5 } }],
  [NEWEST, 'deprecated for this model', { ...said('x'), inferenceConfig: { temperature: 0.5 } }],
  [
    CLAUDE,
    'tool_choice/type conflicts with the existing field toolConfig.toolChoice',
    {
      ...fields({ tool_choice: { type: 'auto', disable_parallel_tool_use: true } }),
      toolConfig: { ...toolConfig(), toolChoice: { any: {} } },
    },
  ],
  [CLAUDE, "Input tag 'none'", { ...fields({ tool_choice: { type: 'none' } }), toolConfig: toolConfig() }],
])('%s refuses what it refuses on Bedrock: %s', async (model, message, body) => {
  const heard = await post(`${simulator.origin}/model/${encodeURIComponent(model)}/converse`, body, {
    key: SECRET,
  });
  expect([heard.status, heard.headers['x-amzn-errortype']], heard.text).toEqual([400, 'ValidationException']);
  expect((JSON.parse(heard.text) as { message: string }).message).toContain(message);
});
