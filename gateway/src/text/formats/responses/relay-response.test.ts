import { describe, expect, test } from 'vitest';
import { response } from '../../../../test/support/openai-samples.ts';
import { checkResponse } from '../../../../test/support/openai-schemas.ts';
import { parseUnits } from '../../../kernel/units.ts';
import { relayResponsesAnswer } from './relay-response.ts';

const COST = parseUnits('0.5');
const request = { model: 'ours', input: 'hi', store: false, metadata: { k: '값' } };
const context = { request, callId: 'req_01', model: 'ours', createdSeconds: 1, answers: 1 };
const relay = (body: object) => relayResponsesAnswer(Buffer.from(JSON.stringify(body)), context);
const show = (bytes: string | undefined): unknown =>
  JSON.parse(Buffer.from(bytes ?? '', 'latin1').toString('utf8'));

describe("a provider's whole response", () => {
  test('is sent with our id, model and cost and is otherwise unchanged', () => {
    const body = show(relay({ ...response, new_field: '새' })?.body({ usage: null, cost: COST }));
    expect(body).toEqual({
      ...response,
      new_field: '새',
      id: 'resp_01',
      model: 'ours',
      store: false,
      metadata: { k: '값' },
      estimated_cost: expect.objectContaining({ amount: '0.5' }),
    });
    checkResponse(body);
  });

  test('has its usage, finish reason, texts and items', () => {
    const answer = relay(response);
    expect(answer?.usage).toMatchObject({ inputTokens: 36, outputTokens: 87 });
    expect(answer?.finishReason).toBe('completed');
    expect(answer?.texts()).toEqual(['A greeting.', 'Hello!', 'weather', '{}']);
    expect(answer?.output?.()).toEqual(response.output);
  });

  test('that is incomplete is an answer with a reason', () => {
    const incomplete = {
      ...response,
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    };
    expect(relay(incomplete)?.finishReason).toBe('max_output_tokens');
  });

  test('has the counted usage if it had none, and a null cost if the cost is unknown', () => {
    const usage = {
      inputTokens: 1,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 2,
      reasoningTokens: 0,
    };
    const body = show(relay({ ...response, usage: null })?.body({ usage, cost: null }));
    expect(body).toMatchObject({ usage: { input_tokens: 1, total_tokens: 3 }, estimated_cost: null });
  });

  test.each([
    ['failed', { ...response, status: 'failed' }],
    ['has no output', { ...response, output: undefined }],
  ])('that %s is not an answer', (_, body) => {
    expect(relay(body)).toBeNull();
  });
});
