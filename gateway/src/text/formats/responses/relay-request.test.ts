import { describe, expect, test } from 'vitest';
import { parseJsonObject } from '../../../json/parse-json.ts';
import { relayResponsesRequest } from './relay-request.ts';

function relay(body: string | object, thinks: boolean | null = null): string {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const object = parseJsonObject(bytes, { depthMax: 64, keysMax: 1e6, valuesMax: 1e6 });
  const target = { upstreamModel: 'gpt-4.1', outputCapField: null, asksUsage: true, thinks };
  return relayResponsesRequest(object, target).toString();
}

const read = (...given: Parameters<typeof relay>): Record<string, unknown> =>
  JSON.parse(relay(...given)) as Record<string, unknown>;

describe('a responses request is passed on', () => {
  test('byte for byte except the model, and without storing anything', () => {
    expect(relay('{ "model" : "ours", "input":"안녕",  "new": [1.0] }')).toBe(
      '{ "model" : "gpt-4.1", "input":"안녕",  "new": [1.0] ,"store":false}',
    );
  });

  test('unchanged if nothing differs', () => {
    const body = '{"store":false ,"model":"gpt-4.1","input":[{"role":"user","content":"x"}]}';
    expect(relay(body)).toBe(body);
  });

  test.each([
    ['thinks', true, {}, ['reasoning.encrypted_content']],
    ['thinks', true, { include: ['a'] }, ['a', 'reasoning.encrypted_content']],
    ['thinks', true, { include: ['reasoning.encrypted_content'] }, ['reasoning.encrypted_content']],
    ['may think', null, { reasoning: { effort: 'low' } }, ['reasoning.encrypted_content']],
    ['may think', null, {}, undefined],
    ['does not think', false, { reasoning: { effort: 'low' } }, undefined],
  ])(
    'to a model that %s (%s) with %o, requesting encrypted reasoning only where it is supported',
    (_, thinks, more, include) => {
      expect(read({ model: 'ours', input: 'x', ...more }, thinks).include).toEqual(include);
    },
  );

  test('with response_format in the field that the provider reads', () => {
    const json_schema = { name: 'x', schema: { type: 'object' }, strict: true };
    const body = read({
      model: 'm',
      input: 'x',
      response_format: { type: 'json_schema', json_schema },
      text: { verbosity: 'low' },
    });
    expect(body).not.toHaveProperty('response_format');
    expect(body.text).toEqual({ verbosity: 'low', format: { type: 'json_schema', ...json_schema } });
  });

  test('without the id of a response that only the gateway stores', () => {
    expect(read({ model: 'm', input: 'x', previous_response_id: 'resp_1' })).not.toHaveProperty(
      'previous_response_id',
    );
  });

  test('with earlier items without ids, and only reasoning that the provider can decrypt', () => {
    const sealed = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAAB' };
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    const input = [
      { role: 'user', content: 'x' },
      sealed,
      { type: 'reasoning', id: 'rs_2', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'reasoning', id: 'rs_3', summary: [], encrypted_content: 'anthropic.sig' },
      { type: 'reasoning', id: 'rs_4', summary: [], encrypted_content: 'google:call.sig' },
      search,
      { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'y' }] },
    ];
    expect(read({ model: 'm', input }).input).toEqual([
      { role: 'user', content: 'x' },
      sealed,
      search,
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'y' }] },
    ]);
  });
});
