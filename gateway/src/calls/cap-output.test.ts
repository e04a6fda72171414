import { describe, expect, test } from 'vitest';
import { openaiChat as openaiRules } from '../catalog/dialects/openai/chat-vendors.ts';
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import { traitsOf } from '../catalog/model-families.ts';
import type { ModelTraits } from '../catalog/model-traits.ts';
import { parseJsonObject } from '../json/parse-json.ts';
import { writeAnthropicRequest } from '../providers/anthropic/write-request.ts';
import { writeGoogleRequest } from '../providers/google/write-request.ts';
import { writeChatRequest } from '../providers/openai/chat/write-request.ts';
import { writeResponsesRequest } from '../providers/openai/responses/write-request.ts';
import type { TextProvider } from '../providers/provider.ts';
import { chatFormat } from '../text/formats/chat/chat.ts';
import { messagesFormat } from '../text/formats/messages/messages.ts';
import { responsesFormat } from '../text/formats/responses/responses.ts';
import type { TextFormat } from '../text/text-format.ts';
import { outputLimitHeaders, sentCap } from './cap-output.ts';
import { textWriter } from './prepare-text.ts';

const model = { code: 'm', outputTokensMax: 8_000, outputCapField: null, capabilities: new Set() };
const route = { upstreamModel: 'up' } as UpstreamRoute;
const relay = { asksUsage: true, outputCapField: null };
const dialect = (of: Partial<TextProvider>) => ({ relay, ...of }) as TextProvider;

const openaiChat = dialect({
  format: 'chat',
  writeRequest: (call, target) => writeChatRequest(call, target, openaiRules),
});
const compatible = dialect({ ...openaiChat, relay: { ...relay, outputCapField: 'max_tokens' } });
const openaiResponses = dialect({ format: 'responses', writeRequest: writeResponsesRequest });
const anthropic = dialect({ format: 'messages', writeRequest: writeAnthropicRequest });
const google = dialect({ writeRequest: writeGoogleRequest });

function sent(
  format: string,
  text: TextProvider,
  more: object = {},
  of: object = {},
  takes?: ModelTraits,
): string {
  const formats = { chat: chatFormat, responses: responsesFormat, messages: messagesFormat };
  const said = {
    chat: { messages: [] },
    responses: { store: false, input: 'hi' },
    messages: { messages: [] },
  };
  const [chosen, asked] = [formats[format as 'chat'], said[format as 'chat']];
  const body = parseJsonObject(Buffer.from(JSON.stringify({ model: 'up', ...asked, ...more })), {
    ...{ depthMax: 64, keysMax: 1e6, valuesMax: 1e6 },
  });
  const written = textWriter({
    ...{ format: chosen as TextFormat<unknown>, body, request: body.value },
    ...{ asWritten: false, toolMedia: false, images: 0, outputCap: 500 },
    facts: { model: { ...model, ...of } as unknown as Model },
  }).write({ ...route, ...(takes && { takes }) }, text);
  expect(Buffer.isBuffer(written), String(written)).toBe(true);
  return String(written);
}

describe('the limit that a space can pay for is sent', () => {
  test('in the bytes of a relayed body', () => {
    expect(sent('chat', openaiChat)).toBe('{"model":"up","messages":[],"max_completion_tokens":500}');
    expect(sent('chat', openaiChat, {}, { outputCapField: 'max_tokens' })).toMatch(/,"max_tokens":500}$/);
    expect(sent('chat', compatible)).toBe('{"model":"up","messages":[],"max_tokens":500}');
    expect(sent('chat', compatible, { max_tokens: null })).toBe(
      '{"model":"up","messages":[],"max_tokens":500}',
    );
    expect(sent('responses', openaiResponses)).toBe(
      '{"model":"up","store":false,"input":"hi","max_output_tokens":500}',
    );
    expect(sent('messages', anthropic)).toBe('{"model":"up","messages":[],"max_tokens":500}');
  });

  test('in a translated body', () => {
    const user = { messages: [{ role: 'user', content: 'hi' }] };
    expect(JSON.parse(sent('chat', anthropic, user))).toMatchObject({ max_tokens: 500 });
    expect(JSON.parse(sent('responses', openaiChat))).toMatchObject({ max_completion_tokens: 500 });
    expect(JSON.parse(sent('chat', openaiResponses, user))).toMatchObject({ max_output_tokens: 500 });
    expect(JSON.parse(sent('chat', google, user))).toMatchObject({
      generationConfig: { maxOutputTokens: 500 },
    });
  });

  test('together with what the model does not take', () => {
    const takes = traitsOf({ dialect: 'openai', vendor: null, upstreamModel: 'gpt-4.1' });
    const body = sent('chat', openaiChat, { reasoning_effort: 'high' }, {}, takes);
    expect(body).toBe('{"model":"up","messages":[],"max_completion_tokens":500}');
  });

  test('unless the model cannot write more anyway', () => {
    expect(sent('chat', openaiChat, {}, { outputTokensMax: 500 })).toBe('{"model":"up","messages":[]}');
  });
});

test('a model gets no limit above its own, and one of unknown length gets the usual one', () => {
  expect(sentCap(null, model)).toBeNull();
  expect(sentCap(8_000, model)).toBeNull();
  expect(sentCap(7_999, model)).toBe(7_999);
  expect(sentCap(300, { outputTokensMax: null })).toBe(300);
  expect(sentCap(100_000, { outputTokensMax: null })).toBe(4_096);
});

test('a header has the limit that was sent', () => {
  expect(outputLimitHeaders(500, model)).toEqual({ 'x-tollgate-output-limit': '500' });
  expect(outputLimitHeaders(8_000, model)).toEqual({});
  expect(outputLimitHeaders(null, model)).toEqual({});
});
