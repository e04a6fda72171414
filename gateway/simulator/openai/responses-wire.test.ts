/** What crosses the wire: the published schemas, the words of a refusal, the faults. */
import { afterAll, describe, expect, test } from 'vitest';
import { checkErrorBody, checkResponse, checkResponseEvent } from '../../test/support/openai-schemas.ts';
import { startSimulator } from '../simulator.ts';
import { framesIn, type Wire } from '../testing/call-simulator.ts';

const simulator = await startSimulator();
afterAll(() => simulator.stop());

async function post(body: Wire, path = '/responses'): Promise<Response> {
  const request = path === '/responses' ? { model: 'sim-chat', input: 'hi', ...body } : body;
  return fetch(simulator.url + path, { method: 'POST', body: JSON.stringify(request) });
}

type Event = Wire & { type: string; sequence_number: number; delta: string; response: Wire };

async function eventsOf(body: Wire): Promise<Event[]> {
  const text = await (await post({ stream: true, ...body })).text();
  return framesIn(text).map((data) => JSON.parse(data) as Event);
}

const tool = { type: 'function', name: 'get_time', parameters: { type: 'object' } };
const call = { type: 'function_call', call_id: 'c1', name: 'get_time', arguments: '{}' };

describe('every reply and every event fits the published schemas', () => {
  test.each<[string, Wire]>([
    ['plain text', {}],
    ['an empty text', { input: 'Reply with exactly: ' }],
    [
      'reasoning',
      { reasoning: { effort: 'high', summary: 'detailed' }, include: ['reasoning.encrypted_content'] },
    ],
    [
      'two tools',
      { input: 'get_time and get_date', tools: [tool, { ...tool, name: 'get_date', strict: false }] },
    ],
    ['one tool by name', { tools: [tool], tool_choice: { type: 'function', name: 'get_time' } }],
    ['a web search', { input: 'Search the web for cats.', tools: [{ type: 'web_search' }] }],
    ['a schema', { text: { format: { type: 'json_schema', name: 'x', schema: { type: 'object' } } } }],
    ['the cap', { max_output_tokens: 16, instructions: 'Go on.', metadata: { a: 'b' } }],
    ['the filter', { input: '[[filter]]' }],
    ['a refusal', { input: '[[refuse]]' }],
    ['a failure', { input: '[[fail]] hi' }],
    ['a picture', { input: 'Draw it red.', model: 'sim-image-chat' }],
    ['no usage', { model: 'sim-fault-missing-usage' }],
  ])('%s', async (_, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(200);
    checkResponse(await answer.json());
    const events = await eventsOf(body);
    expect(events.length).toBeGreaterThan(3);
    for (const event of events) checkResponseEvent(event);
  });
});

describe('a request is turned down as OpenAI would', () => {
  const says = (message: string): Wire => ({ message });
  test.each<[string, Wire, number, Wire]>([
    ['no input', { input: null }, 400, { param: 'input', code: 'missing_required_parameter' }],
    ['no model', { model: undefined }, 400, { param: 'model', code: 'missing_required_parameter' }],
    ['an empty input', { input: [] }, 400, { param: 'input', code: 'empty_array' }],
    ...['stop', 'n', 'max_tokens', 'seed', 'messages'].map((name): [string, Wire, number, Wire] => [
      `the unknown field ${name}`,
      { [name]: 1 },
      400,
      {
        message: `Unknown parameter: '${name}'.`,
        type: 'invalid_request_error',
        param: name,
        code: 'unknown_parameter',
      },
    ]),
    [
      'response_format',
      { response_format: { type: 'text' } },
      400,
      {
        message: expect.stringContaining(
          "Unsupported parameter: 'response_format'. In the Responses API, this parameter has moved to 'text.format'.",
        ),
        code: 'unsupported_parameter',
      },
    ],
    [
      'a previous response, for it keeps none',
      { previous_response_id: 'resp_1' },
      400,
      { ...says("Previous response with id 'resp_1' not found."), code: 'previous_response_not_found' },
    ],
    [
      'a reference to an item, for it keeps none',
      { input: [{ type: 'item_reference', id: 'msg_1' }] },
      404,
      says("Item with id 'msg_1' not found."),
    ],
    [
      'an output of no call',
      { input: [{ type: 'function_call_output', call_id: 'c1', output: '' }] },
      400,
      says('No tool call found for function call output with call_id c1.'),
    ],
    ['a call without output', { input: [call] }, 400, says('No tool output found for function call c1.')],
    ['a background', { background: true }, 400, { param: 'background' }],
    [
      'a cap below 16',
      { max_output_tokens: 15 },
      400,
      { param: 'max_output_tokens', code: 'integer_below_min_value' },
    ],
    ['a temperature beyond 2', { temperature: 2.5 }, 400, { code: 'decimal_above_max_value' }],
    ['a hosted tool it lacks', { tools: [{ type: 'file_search' }] }, 400, { param: 'tools[0].type' }],
    [
      'a tool shaped as in chat',
      { tools: [{ type: 'function', function: tool }] },
      400,
      { param: 'tools[0].name' },
    ],
    [
      'a web search by a model that cannot',
      { model: 'sim-text-only', tools: [{ type: 'web_search' }] },
      400,
      says("Hosted tool 'web_search' is not supported with sim-text-only."),
    ],
    [
      'a choice that is not on offer',
      { tool_choice: { type: 'function', name: 'x' } },
      400,
      { param: 'tool_choice' },
    ],
    [
      "a user's words in the assistant's mouth",
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
      400,
      { param: 'input[0].content[0].type', code: 'invalid_value' },
    ],
    [
      'an image for a model that sees none',
      {
        model: 'sim-text-only',
        input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'http://x' }] }],
      },
      400,
      { param: 'input[0].content[0].type' },
    ],
    [
      'JSON from a model that writes none',
      { model: 'sim-no-json', text: { format: { type: 'json_object' } } },
      400,
      { param: 'text.format' },
    ],
    [
      'an effort of a model without thought',
      { model: 'sim-chat-classic', reasoning: { effort: 'low' } },
      400,
      { param: 'reasoning.effort' },
    ],
    [
      'an input beyond the context',
      { model: 'sim-small-context', input: 'x'.repeat(4_004) },
      400,
      { param: 'input', code: 'context_length_exceeded' },
    ],
    ['a model it does not have', { model: 'gpt-none' }, 404, { code: 'model_not_found' }],
    ['sim-no-responses', { model: 'sim-no-responses' }, 404, { code: 'model_not_found' }],
    ['a model of another trade', { model: 'sim-embed' }, 404, { code: 'model_not_found' }],
  ])('%s', async (_, body, status, error) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    const reply = await answer.json();
    checkErrorBody(reply);
    expect(reply).toMatchObject({ error });
  });

  test('sim-responses-only answers here, and in chat not at all', async () => {
    const model = 'sim-responses-only';
    expect((await post({ model })).status).toBe(200);
    const messages = [{ role: 'user', content: 'hi' }];
    expect((await post({ model, messages }, '/chat/completions')).status).toBe(404);
  });
});

describe('faults', () => {
  const input = 'Reply with exactly: The quick brown fox jumps over the lazy dog.';
  const fault = (name: string): Promise<Event[]> => eventsOf({ model: `sim-fault-${name}`, input });

  test('error-in-stream is an error event amid the content', async () => {
    const events = await fault('error-in-stream');
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'server_error', param: null });
    for (const event of events) checkResponseEvent(event);
    expect(events.at(-2)?.type).toBe('response.output_text.delta');
  });

  test('end-without-done has all of the content and no end', async () => {
    const events = await fault('end-without-done');
    const text = events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta);
    expect(text.join('')).toBe('The quick brown fox jumps over the lazy dog.');
    expect(events.at(-1)?.type).toBe('response.output_text.delta');
  });

  test('missing-usage and zero-usage change the usage of the last event', async () => {
    expect((await fault('missing-usage')).at(-1)?.response.usage).toBeNull();
    const zero = (await fault('zero-usage')).at(-1)?.response.usage;
    expect(zero).toMatchObject({ input_tokens: 0, output_tokens: 0, total_tokens: 0 });
  });

  test('crlf is a valid answer, and an error status has the shape of OpenAI', async () => {
    expect((await fault('crlf')).at(-1)?.type).toBe('response.completed');
    const refused = await post({ model: 'sim-fault-error-429' });
    expect(refused.status).toBe(429);
    checkErrorBody(await refused.json());
  });

  test('endless adds to the item that was opened', async () => {
    const caller = new AbortController();
    const body = JSON.stringify({ model: 'sim-fault-endless', input, stream: true });
    const answer = await fetch(`${simulator.url}/responses`, { method: 'POST', body, signal: caller.signal });
    const decoder = new TextDecoder();
    let text = '';
    for await (const piece of answer.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(piece, { stream: true });
      if (text.includes('on and on ')) break;
    }
    caller.abort();
    const events = framesIn(text).map((data) => JSON.parse(data) as Event);
    const part = events.find(({ type }) => type === 'response.content_part.added');
    const added = events.find(({ delta }) => delta === 'on and on ');
    checkResponseEvent(added);
    expect(added).toMatchObject({ item_id: part?.item_id, output_index: part?.output_index });
    expect(added?.sequence_number).toBe((part?.sequence_number ?? 0) + 1);
  });
});
