/** The AI SDK, unmodified, through its providers for OpenAI, for what is compatible, and for Anthropic. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, type ModelMessage } from 'ai';
import { expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { aiSdkAnthropic, aiSdkOpenai } from '../support/clients.ts';
import { oneEngine } from '../support/engines.ts';
import { aiSdkUse } from './ai-sdk.ts';
import { type Dialect, dialects, models } from './client-gateway.ts';
import { ToolBench } from './library.ts';
import { describeClient } from './promises.ts';

const chat = aiSdkUse({
  name: 'chat',
  own: 'openai',
  model: (place, name) => aiSdkOpenai(place).chat(name),
  // It does not read thoughts on chat completions.
  shows: [],
});

const compatible = aiSdkUse({
  name: 'compatible',
  own: 'openai',
  model: ({ url, key }, name) =>
    createOpenAICompatible({
      ...{ name: 'tollgate', baseURL: `${url}/v1`, apiKey: key },
      // By default it asks neither for the usage of streams nor for schemas.
      ...{ includeUsage: true, supportsStructuredOutputs: true },
    })(name),
  shows: dialects,
  thinking: { tollgate: { reasoningEffort: 'medium' } },
});

/** Of models whose names it does not know it would not ask it. */
const thinking = {
  openai: { forceReasoning: true, reasoningEffort: 'medium', reasoningSummary: 'auto' },
};

const responses = aiSdkUse({
  name: 'responses',
  own: 'openai-responses',
  model: (place, name) => aiSdkOpenai(place)(name),
  shows: dialects,
  thinking,
});

const unkept = aiSdkUse({
  ...{ name: 'responses', own: 'openai-responses', shows: [] },
  model: (place, name) => aiSdkOpenai(place)(name),
  thinking: { openai: { ...thinking.openai, store: false } },
});

const messages = aiSdkUse({
  name: 'messages',
  own: 'anthropic',
  model: (place, name) => aiSdkAnthropic(place)(name),
  shows: dialects,
  thinking: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_048 } } },
});

describeClient(
  'the AI SDK',
  oneEngine('postgres', 'client libraries'),
  [chat, compatible, responses, messages],
  (gateway) => {
    /** Two turns with thoughts; answers what the library sent for the second. */
    async function talk(on: Dialect, options: { store?: false }): Promise<{ sent: string; said: string }> {
      const providerOptions = { openai: { ...thinking.openai, ...options } };
      const model = aiSdkOpenai(gateway())(models[on]);
      const settings = { model, providerOptions, maxRetries: 0, include: { requestBody: true } };
      const messages: ModelMessage[] = [{ role: 'user', content: 'Say something in 12 words' }];
      const first = await generateText({ ...settings, messages });
      messages.push(...first.responseMessages, { role: 'user', content: 'Reply with exactly: I remember' });
      const second = await generateText({ ...settings, messages });
      expect(second.text).toBe('I remember');
      return { sent: JSON.stringify(second.finalStep.request.body), said: first.text };
    }

    test.each(dialects)('what it refers to by an id alone is put in its place, on %s', async (on) => {
      const { sent, said } = await talk(on, {});
      expect(sent).toMatch(/"type":"item_reference","id":"rs_/);
      expect(sent).toMatch(/"type":"item_reference","id":"msg_/);
      expect(sent).not.toContain(said);
      expect(gateway().simulator.calls.at(-1)?.text).toContain(said);
    });

    // Google seals thoughts that led to calls of tools, and no others.
    const sealing = dialects.filter((on) => on !== 'google');
    test.each(sealing)('if nothing is kept, it brings words and sealed thoughts back, on %s', async (on) => {
      const { sent, said } = await talk(on, { store: false });
      expect(sent).not.toContain('item_reference');
      expect(sent).toContain('"encrypted_content":"');
      expect(gateway().simulator.calls.at(-1)?.text).toContain(said);
    });

    test.each(dialects)('if nothing is kept, it calls tools and thinks all the same, on %s', async (on) => {
      const bench = new ToolBench();
      const asking = { model: models[on], prompt: 'Ask get_weather about 서울', thinks: true };
      const kept = (): Promise<object[]> => gateway().query(sql`select id from kept_responses`);
      const before = await kept();
      const { text } = await unkept.open(gateway()).streamTools(asking, bench);
      expect(bench.used).toHaveLength(1);
      expect(text).toContain('21 degrees');
      expect(await kept()).toHaveLength(before.length);
    });
  },
);
