/** The official OpenAI library, unmodified: chat completions and responses. */
import { OpenAI } from 'openai';
import { expect, test } from 'vitest';
import { openaiClient } from '../support/clients.ts';
import { oneEngine } from '../support/engines.ts';
import { dialects, models } from './client-gateway.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import { describeClient } from './promises.ts';

describeClient(
  'the OpenAI library',
  oneEngine('postgres', 'client libraries'),
  [openaiChat, openaiResponses],
  (gateway) => {
    const ask = { model: models['openai-responses'], input: 'Say something in 12 words' };

    test.each(dialects)('a response that another model gave is continued on %s', async (on) => {
      const { responses } = openaiClient(gateway());
      const first = await responses.create(ask);
      const stream = responses.stream({
        ...{ model: models[on], input: 'Reply with exactly: and so on' },
        previous_response_id: first.id,
      });
      const second = await stream.finalResponse();
      expect(second).toMatchObject({ output_text: 'and so on', previous_response_id: first.id });
      expect(gateway().simulator.calls.at(-1)?.text).toContain(first.output_text);
      const third = await responses.create({ ...ask, previous_response_id: second.id });
      expect(third.usage?.input_tokens).toBeGreaterThan(second.usage?.input_tokens ?? 0);
    });

    test('nobody continues the response of another key, or one that was not to be kept', async () => {
      const { responses } = openaiClient(gateway());
      const { key } = await gateway().admin('keys.create', { name: 'other', kind: 'shared' });
      const stranger = openaiClient({ url: gateway().url, key });
      const kept = await responses.create(ask);
      const unkept = await responses.create({ ...ask, store: false });
      const refused = await Promise.allSettled([
        stranger.responses.create({ ...ask, previous_response_id: kept.id }),
        responses.create({ ...ask, previous_response_id: unkept.id }),
      ]);
      for (const outcome of refused) {
        const { reason } = outcome as PromiseRejectedResult;
        expect(reason).toBeInstanceOf(OpenAI.NotFoundError);
        expect(reason).toMatchObject({ code: 'response_not_found', param: 'previous_response_id' });
      }
    });
  },
);
