/** The messages format through every layer: on a model of its own dialect and on one that is translated. */
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Shape } from '../../src/contract/check-shape.ts';
import { MessagesEvent, MessagesResponse } from '../../src/contract/messages-answer.ts';
import { sql } from '../../src/database/sql.ts';
import { parseUnits, printUnits } from '../../src/kernel/units.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { ask, callRow, messagesConfig, send, weather } from '../support/messages-stage.ts';

type Costed = Anthropic.Message & { estimated_cost: { amount: string; currency: string } | null };

describe.each(oneEngine('embedded', 'translation'))('messages on %s', (engine) => {
  let gateway: TestGateway;
  let client: Anthropic;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: messagesConfig });
    client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 });
  });
  afterAll(() => gateway.stop());

  describe.each(['sim-claude', 'sim-chat'])('%s', (model) => {
    test('the official client gets an answer whose cost is the charged amount, digit for digit', async () => {
      const { data, response } = await client.messages
        .create(ask(model, 'Reply with exactly: 됩니다'))
        .withResponse();
      expect(data.content).toMatchObject([{ type: 'text', text: '됩니다' }]);
      expect(data).toMatchObject({ type: 'message', role: 'assistant', model, stop_reason: 'end_turn' });
      expect(new Shape(MessagesResponse).error(data)).toBeNull();
      const row = await callRow(gateway, response.headers.get('request-id'));
      const { estimated_cost: cost, usage } = data as Costed;
      expect(cost?.amount).toBe(printUnits(parseUnits(row.cost)));
      expect(response.headers.get('x-tollgate-cost-units')).toBe(cost?.amount);
      const [input, output] = model === 'sim-claude' ? [3, 15] : [2.5, 10];
      expect(Number(cost?.amount)).toBeCloseTo(
        (input * usage.input_tokens + output * usage.output_tokens) / 1e6,
        12,
      );
      expect(row).toMatchObject({ outcome: 'completed', usage_source: 'provider', endpoint: 'messages' });
    });

    test('a stream ends with usage and cost, and leaves the client with the whole message', async () => {
      const stream = client.messages.stream(ask(model, 'Reply with exactly: 하나 둘 셋 넷 다섯'));
      const events: Array<Anthropic.MessageStreamEvent & Record<string, unknown>> = [];
      for await (const event of stream) events.push(event as (typeof events)[number]);
      const message = await stream.finalMessage();
      expect(await stream.finalText()).toBe('하나 둘 셋 넷 다섯');
      expect(message).toMatchObject({ model, stop_reason: 'end_turn', stop_sequence: null });
      const shape = new Shape(MessagesEvent);
      for (const event of events) expect(shape.error(event)).toBeNull();
      expect([events[0]?.type, events.at(-2)?.type, events.at(-1)?.type]).toEqual([
        'message_start',
        'message_delta',
        'message_stop',
      ]);
      expect(events[0]).toMatchObject({ message: { usage: { input_tokens: expect.any(Number) } } });
      const row = await callRow(gateway, stream.request_id ?? null);
      expect(events.at(-2)).toMatchObject({ estimated_cost: { amount: printUnits(parseUnits(row.cost)) } });
      expect(events.filter((event) => 'estimated_cost' in event)).toHaveLength(1);
      const whole = await client.messages.create(ask(model, 'Reply with exactly: 하나 둘 셋 넷 다섯'));
      expect(message.usage.input_tokens).toBe(whole.usage.input_tokens);
      expect(message.usage.output_tokens).toBe(whole.usage.output_tokens);
    });

    test('tools are called side by side, and their results are answered', async () => {
      const time = { name: 'get_time', input_schema: { type: 'object' as const, properties: {} } };
      const question = ask(model, 'Use get_weather and get_time', { tools: [weather, time] });
      const streamed = await client.messages.stream(question).finalMessage();
      const called = await client.messages.create(question);
      for (const answer of [streamed, called]) {
        expect(answer.stop_reason).toBe('tool_use');
        const calls = answer.content.filter((block) => block.type === 'tool_use');
        expect(calls).toMatchObject([
          { name: 'get_weather', input: { city: expect.any(String) } },
          { name: 'get_time', input: expect.any(Object) },
        ]);
      }
      const results = called.content.flatMap((block) =>
        block.type === 'tool_use'
          ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: `${block.name}: sunny` }]
          : [],
      );
      const next = await client.messages.create({
        ...question,
        messages: [
          ...question.messages,
          { role: 'assistant', content: called.content },
          { role: 'user', content: results },
        ],
      });
      expect(next.content).toMatchObject([{ type: 'text', text: expect.stringContaining('sunny') }]);
    });

    test('instructions, stop sequences, caps, schemas and images arrive', async () => {
      const stopped = await client.messages.create(
        ask(model, 'Reply with exactly: one END two', {
          system: [{ type: 'text', text: 'Be kind.' }],
          stop_sequences: ['END'],
        }),
      );
      expect(stopped.content).toMatchObject([{ text: 'one ' }]);
      if (model === 'sim-claude')
        expect(stopped).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' });
      const cut = await client.messages.create(ask(model, 'Write 500 words', { max_tokens: 16 }));
      expect(cut).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 16 } });
      const schema = { ...weather.input_schema, additionalProperties: false };
      const shaped = await client.messages.create(
        ask(model, 'The weather', { output_config: { format: { type: 'json_schema', schema } } }),
      );
      const [block] = shaped.content;
      expect(JSON.parse(block?.type === 'text' ? block.text : '')).toHaveProperty('city');
      const url = 'https://example.com/a.png';
      const seen = await client.messages.create({
        ...ask(model, ''),
        messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }],
      });
      expect(JSON.stringify(seen.content)).toContain(url);
    });

    test('a prompt is counted for free', async () => {
      const rows = () => gateway.query(sql`select id from calls`);
      const before = await rows();
      const { messages } = ask(model, 'How many tokens are these?');
      const bare = await client.messages.countTokens({ model, messages });
      const { input_tokens: tooled } = await client.messages.countTokens({
        model,
        messages,
        tools: [weather],
      });
      expect(bare.input_tokens).toBeGreaterThan(3);
      expect(tooled).toBeGreaterThan(bare.input_tokens);
      expect(await rows()).toEqual(before);
      if (model !== 'sim-claude') return;
      const { usage } = await client.messages.create(ask(model, 'How many tokens are these?'));
      expect(bare.input_tokens).toBe(usage.input_tokens);
    });

    test('an error amid a stream is the last event, has the reference, and is charged as partial', async () => {
      const body = ask(model, 'Write 60 words [[fault error-in-stream]]', { stream: true });
      const reply = await send(gateway, body);
      const text = await reply.text();
      const id = reply.headers.get('request-id');
      expect(text).toMatch(/^event: message_start\n/);
      expect(text).not.toContain('message_stop');
      const last = text.trimEnd().split('\n\n').at(-1) ?? '';
      expect(last).toMatch(/^event: error\ndata: \{/);
      expect(JSON.parse(last.slice(last.indexOf('{')))).toMatchObject({
        ...{ type: 'error', error_ref: id },
        error: { type: expect.any(String), message: expect.any(String), error_ref: id },
      });
      expect(await callRow(gateway, id)).toMatchObject({ outcome: 'partial', usage_source: 'estimated' });
      const failed = client.messages.stream(body as Anthropic.MessageStreamParams).finalMessage();
      const error = await failed.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Anthropic.APIError);
      expect((error as Error).message).toMatch(/req_/);
    });

    test('a stream without a stop reason is no whole answer', async () => {
      const reply = await send(
        gateway,
        ask(model, 'Write 60 words [[fault end-without-done]]', { stream: true }),
      );
      const text = await reply.text();
      expect(text).toContain('event: error\n');
      expect(text).not.toContain('message_stop');
    });

    test('a provider that tells no usage is counted, and the caller is shown the count', async () => {
      const { data, response } = await client.messages
        .create(ask(model, 'Write 30 words [[fault missing-usage]]'))
        .withResponse();
      const row = await callRow(gateway, response.headers.get('request-id'));
      expect(row.usage_source).toBe('estimated');
      expect(data.usage.output_tokens).toBeGreaterThan(20);
      const message = await client.messages
        .stream(ask(model, 'Write 30 words [[fault missing-usage]]'))
        .finalMessage();
      expect(message.usage.output_tokens).toBeGreaterThan(20);
    });
  });
});
