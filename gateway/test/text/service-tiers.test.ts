/** A translated answer names the tier in which the provider served the call, by the names of the caller's format. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_TOKENS, type Usage } from '../../src/pricing/usage.ts';
import { writeChatTier } from '../../src/text/formats/chat/write-usage.ts';
import { writeMessagesTier } from '../../src/text/formats/messages/write-usage.ts';
import { writeResponsesTier } from '../../src/text/formats/responses/write-usage.ts';
import { ask, type Format } from '../matrix/ask.ts';
import type { Wire } from '../prices/truth-case.ts';
import { exactAnswer } from '../prices/wire-answers.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const simulated = 'api_key: simulator-key, simulated: true';
const config = `
providers:
  chat: { dialect: openai-compatible, base_url: SIMULATOR, ${simulated} }
  responses: { dialect: openai-responses, base_url: SIMULATOR, ${simulated} }
  openai: { dialect: openai, base_url: SIMULATOR, ${simulated} }
  messages: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, ${simulated} }
  google: { dialect: google, base_url: SIMULATOR_ORIGIN/v1beta, ${simulated} }
  bedrock: { dialect: bedrock, base_url: SIMULATOR_ORIGIN, region: us-east-1, ${simulated} }
models:
  chat: { routes: [{ provider: chat, model: sim-chat }] }
  responses: { routes: [{ provider: responses, model: sim-chat }] }
  messages: { output_tokens_max: 100, routes: [{ provider: messages, model: sim-claude }] }
  openai: { routes: [{ provider: openai, model: sim-chat }] }
  google: { routes: [{ provider: google, model: sim-gemini }] }
  bedrock: { routes: [{ provider: bedrock, model: sim-chat }] }
`;

const chatUsage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
const usage = { input_tokens: 10, output_tokens: 1 };
const googleUsage = { promptTokenCount: 10, candidatesTokenCount: 1, totalTokenCount: 11 };
const bedrockUsage = { inputTokens: 10, outputTokens: 1, totalTokens: 11 };

/** What callers see: of messages `service_tier`, and `+` the speed if it is named. Undefined: relayed. */
interface Shown {
  readonly chat?: string | null;
  readonly responses?: string | null;
  readonly messages?: string | null;
}

type Row = [what: string, wire: Wire, answer: object, shown: Shown, headers?: Record<string, string>];

const usual = { chat: 'default', responses: 'default', messages: 'standard' };
const none = { chat: null, responses: null, messages: null };
const priority = { chat: 'priority', responses: 'priority', messages: 'priority' };
const flex = { chat: 'flex', responses: 'flex', messages: null };

function of(shown: Shown, ...formats: Format[]): Shown {
  return Object.fromEntries(formats.map((format) => [format, shown[format]]));
}

const table: Row[] = [
  ['no tier', 'chat', { usage: chatUsage }, of(usual, 'responses', 'messages')],
  ['flex', 'chat', { usage: chatUsage, service_tier: 'flex' }, of(flex, 'responses', 'messages')],
  [
    'performance',
    'chat',
    { usage: chatUsage, service_tier: 'performance' },
    of(none, 'responses', 'messages'),
  ],
  ['default', 'responses', { usage, service_tier: 'default' }, of(usual, 'chat', 'messages')],
  ['priority', 'responses', { usage, service_tier: 'priority' }, of(priority, 'chat', 'messages')],
  ['ultrafast', 'responses', { usage, service_tier: 'ultrafast' }, of(none, 'chat', 'messages')],
  ['fast', 'responses', { usage, service_tier: 'fast' }, { chat: 'fast', messages: 'standard + fast' }],
  ['standard', 'messages', { usage: { ...usage, service_tier: 'standard' } }, of(usual, 'chat', 'responses')],
  [
    'priority',
    'messages',
    { usage: { ...usage, service_tier: 'priority' } },
    of(priority, 'chat', 'responses'),
  ],
  ['a batch', 'messages', { usage: { ...usage, service_tier: 'batch' } }, of(usual, 'chat', 'responses')],
  ['speed', 'messages', { usage: { ...usage, speed: 'fast' } }, { chat: 'fast', responses: 'fast' }],
  [
    'speed in priority',
    'messages',
    { usage: { ...usage, service_tier: 'priority', speed: 'fast' } },
    of(none, 'chat', 'responses'),
  ],
  ['no tier', 'google', { usageMetadata: googleUsage }, usual],
  ['flex', 'google', { usageMetadata: { ...googleUsage, serviceTier: 'flex' } }, flex],
  ['a header', 'google', { usageMetadata: googleUsage }, priority, { 'x-gemini-service-tier': 'priority' }],
  ['priority', 'bedrock', { usage: bedrockUsage, serviceTier: { type: 'priority' } }, priority],
  ['reserved', 'bedrock', { usage: bedrockUsage, serviceTier: { type: 'reserved' } }, none],
];

describe.each(oneEngine('embedded', 'translation'))('the tier of a translated answer on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
  });
  afterAll(() => gateway.stop());

  async function send(format: Format, model: string, streamed: boolean, said: string): Promise<string> {
    const turns = [{ role: 'user' as const, text: `[[say ${said}]]` }];
    const { path, headers, body } = ask(format, model, { turns }, streamed);
    const reply = await gateway.post(path, body, { ...headers });
    const text = await reply.text();
    expect(reply.status, text).toBe(200);
    return text;
  }

  test.each(table)('with %s at a provider that speaks %s', async (what, wire, answer, shown, headers) => {
    const said = `${wire}-${what.replaceAll(' ', '-')}`;
    const truth = { wire, answer, ...(headers && { headers }) } as Parameters<typeof exactAnswer>[0];
    gateway.simulator.answers.set(said, exactAnswer(truth));
    for (const format of Object.keys(shown) as Format[]) {
      const whole = JSON.parse(await send(format, wire, false, said));
      expect([format, tierOf(format, whole)]).toEqual([format, shown[format]]);
      const stream = await send(format, wire, true, said);
      expect([format, streamedTier(format, stream)]).toEqual([format, shown[format]]);
    }
  });

  test.each([
    ['chat', 'bedrock', 'priority', { serviceTier: { type: 'priority' } }],
    ['responses', 'bedrock', 'flex', { serviceTier: { type: 'flex' } }],
    ['chat', 'bedrock', 'default', {}],
    ['chat', 'responses', 'priority', { service_tier: 'priority' }],
    ['responses', 'openai', 'flex', { service_tier: 'flex' }],
  ] as const)('that a caller of %s asks %s for: %s', async (format, model, service_tier, sent) => {
    const turns = [{ role: 'user' as const, text: 'Reply with exactly: Yes' }];
    const asked = ask(format, model, { turns, more: { service_tier } }, false);
    const reply = await gateway.post(asked.path, asked.body, { ...asked.headers });
    expect(reply.status, await reply.clone().text()).toBe(200);
    const { body } = gateway.simulator.calls.at(-1) as { body: object };
    expect(body).toMatchObject(sent);
    if (service_tier === 'default') expect(body).not.toHaveProperty('serviceTier');
    // The simulator serves a call in the tier that it asks for.
    if (model === 'bedrock') expect(await reply.json()).toMatchObject({ service_tier });
  });

  test.each([
    ['chat', 'bedrock', 'scale'],
    ['responses', 'bedrock', 'reserved'],
    ['responses', 'chat', 'flex'],
    ['chat', 'messages', 'priority'],
    ['responses', 'google', 'flex'],
  ] as const)(
    'that a caller of %s cannot ask %s for is rejected: %s',
    async (format, model, service_tier) => {
      const before = gateway.simulator.calls.length;
      const turns = [{ role: 'user' as const, text: 'Hi' }];
      const asked = ask(format, model, { turns, more: { service_tier } }, false);
      const reply = await gateway.post(asked.path, asked.body, { ...asked.headers });
      expect([reply.status, await reply.json()]).toMatchObject([400, { error: { param: 'service_tier' } }]);
      expect(gateway.simulator.calls).toHaveLength(before);
    },
  );

  test('is part of a response that is kept', async () => {
    const answer = { usageMetadata: { ...googleUsage, serviceTier: 'flex' } };
    gateway.simulator.answers.set('kept', exactAnswer({ wire: 'google', answer } as never));
    for (const streamed of [false, true]) {
      const [, id] = /"id":"(resp_\w+)"/.exec(await send('responses', 'google', streamed, 'kept')) ?? [];
      const reply = await fetch(`${gateway.url}/v1/responses/${id}`, {
        headers: { authorization: `Bearer ${gateway.key}` },
      });
      expect(await reply.json()).toMatchObject({ id, service_tier: 'flex' });
    }
  });
});

test('the table of the documentation says what is written', () => {
  const page = readFileSync(new URL('../../../docs/formats.md', import.meta.url), 'utf8');
  const [, part = ''] = page.split(/tiers:(?:begin|end)/);
  const rows = part
    .split('\n')
    .filter((row) => row.includes('|'))
    .slice(2)
    .map((row) => row.split('|').map((cell) => cell.trim()))
    .map(([, , ...shown]) => shown.slice(0, 3));
  const tiers = [
    undefined,
    'priority',
    'flex',
    'scale',
    'ultrafast',
    'fast',
    'priority_fast',
    'batch',
    'reserved',
  ];
  const quoted = (tier: string | null): string => (tier === null ? 'null' : `\`${tier}\``);
  const written = tiers.map((tier) => {
    const used: Usage = { ...NO_TOKENS, ...(tier !== undefined && { details: { tier } }) };
    const { service_tier, speed } = writeMessagesTier(used);
    const messages = `${quoted(service_tier)}${speed === undefined ? '' : ` with \`speed: "${speed}"\``}`;
    return [quoted(writeChatTier(used)), quoted(writeResponsesTier(used)), messages];
  });
  expect(rows).toEqual(written);
});

interface Tiered {
  readonly service_tier?: string | null;
  readonly speed?: string;
}

function tierOf(format: Format, body: Tiered & { usage?: Tiered }): string | null | undefined {
  if (format !== 'messages') return body.service_tier;
  const { service_tier: tier, speed } = body.usage ?? {};
  return speed === undefined ? tier : `${tier} + ${speed}`;
}

/** In the last event; before, it is not known. */
function streamedTier(format: Format, stream: string): string | null | undefined {
  const events = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data));
  if (format === 'chat') {
    expect(events.slice(0, -1).some((event) => 'service_tier' in event)).toBe(false);
    return tierOf(format, events.at(-1));
  }
  if (format === 'responses') {
    expect(events[0].response.service_tier).toBe('auto');
    return tierOf(format, events.at(-1).response);
  }
  expect(events[0].message.usage.service_tier).toBeNull();
  return tierOf(format, events.at(-2));
}
