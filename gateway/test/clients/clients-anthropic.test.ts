/** The official Anthropic library, unmodified. */
import { expect, test } from 'vitest';
import { anthropicClient } from '../support/clients.ts';
import { oneEngine } from '../support/engines.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { dialects, models } from './client-gateway.ts';
import { describeClient } from './promises.ts';

describeClient(
  'the Anthropic library',
  oneEngine('postgres', 'client libraries'),
  [anthropicMessages],
  (gateway) => {
    const messages = [{ role: 'user' as const, content: 'Tell me about 서울 in 30 words' }];

    test('a prompt is counted before it is sent, and nothing is paid for that', async () => {
      const client = anthropicClient(gateway());
      const { rows } = await gateway().recorded(async () => {
        for (const on of dialects) {
          const { input_tokens } = await client.messages.countTokens({ model: models[on], messages });
          expect(input_tokens, on).toBeGreaterThan(5);
        }
        const model = models.anthropic;
        const counted = await client.messages.countTokens({ model, messages });
        const { usage } = await client.messages.create({ model, messages, max_tokens: 100 });
        expect(counted.input_tokens).toBe(usage.input_tokens);
      });
      expect(rows).toHaveLength(1);
    });

    test('the models are listed, page by page', async () => {
      const ids: string[] = [];
      for await (const { id } of anthropicClient(gateway()).models.list()) ids.push(id);
      expect(ids).toEqual(expect.arrayContaining(Object.values(models)));
      expect(new Set(ids).size).toBe(ids.length);
    });
  },
);
