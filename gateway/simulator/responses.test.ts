import { afterAll, describe, expect, test } from 'vitest';
import { encodePng } from './brain/png.ts';
import { countTokens } from './brain/tokens.ts';
import { startSimulator } from './simulator.ts';
import { framesIn, type Wire } from './testing/call-simulator.ts';

const simulator = await startSimulator();
afterAll(() => simulator.stop());

type Item = Wire & { type: string; id: string; status: string };
interface Reply {
  readonly status: string;
  readonly output: Item[];
  readonly usage: Wire & { input_tokens: number; output_tokens: number };
  readonly error: Wire;
  readonly incomplete_details: Wire | null;
}
type Event = Wire & { type: string; sequence_number: number; item: Item; response: Reply; delta: string };

async function post(body: Wire, headers: Record<string, string> = {}): Promise<Response> {
  const request = { model: 'sim-chat', ...body };
  return fetch(`${simulator.url}/responses`, { method: 'POST', headers, body: JSON.stringify(request) });
}

async function respond(input: unknown, more: Wire = {}): Promise<Reply> {
  return (await (await post({ input, ...more })).json()) as Reply;
}

async function stream(
  input: unknown,
  more: Wire = {},
  headers: Record<string, string> = {},
): Promise<Event[]> {
  const text = await (await post({ input, stream: true, ...more }, headers)).text();
  expect(text).not.toContain('[DONE]');
  return framesIn(text).map((data) => JSON.parse(data) as Event);
}

const itemOf = (reply: Reply, type: string): Item => reply.output.find((item) => item.type === type) as Item;
const textOf = (reply: Reply): string => (itemOf(reply, 'message').content as [{ text: string }])[0].text;
const typesOf = (events: Event[]): string[] => [...new Set(events.map((event) => event.type))];
const deltasOf = (events: Event[], type: string): string[] =>
  events.filter((event) => event.type === type).map((event) => event.delta);

const weather = {
  type: 'function',
  name: 'get_weather',
  parameters: {
    type: 'object',
    properties: { city: { const: 'a town with a long name' } },
    required: ['city'],
  },
};
const search = { type: 'web_search' };

describe('the response', () => {
  test('repeats what was asked, defaults filled in, under the dated model name', async () => {
    const asked = {
      instructions: 'Be brief.',
      metadata: { a: 'b' },
      temperature: 0.5,
      user: 'u',
      store: false,
    };
    const schema = { type: 'object', additionalProperties: false };
    const format = { type: 'json_schema', name: 'x', schema, strict: true };
    expect(await respond('hi', { ...asked, tools: [weather], text: { format } })).toMatchObject({
      ...asked,
      id: expect.stringMatching(/^resp_\w{48}$/),
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      model: 'sim-chat-2026-01-01',
      previous_response_id: null,
      reasoning: { effort: 'medium', summary: null },
      parallel_tool_calls: true,
      text: { format },
      tool_choice: 'auto',
      tools: [{ ...weather, strict: true }],
      top_p: 1,
      truncation: 'disabled',
    });
  });

  test('has its reasoning before its message', async () => {
    expect((await respond('Reply with exactly: hi')).output).toEqual([
      { type: 'reasoning', id: expect.stringMatching(/^rs_/), summary: [] },
      {
        type: 'message',
        id: expect.stringMatching(/^msg_/),
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', annotations: [], logprobs: [], text: 'hi' }],
      },
    ]);
    expect((await respond('hi', { model: 'sim-chat-classic' })).output.map(({ type }) => type)).toEqual([
      'message',
    ]);
  });

  test('tells the usage by the same rules as chat', async () => {
    const instructions = '[[cached 2]] Be brief.';
    const { usage } = await respond('Reply with exactly: 안녕', { model: 'sim-chat-classic', instructions });
    const input = countTokens(instructions) + countTokens('Reply with exactly: 안녕');
    expect(usage).toEqual({
      input_tokens: input,
      input_tokens_details: { cached_tokens: 2, cache_write_tokens: 0 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + 2,
    });
  });

  test('is incomplete at the output cap and by the filter, and refuses on cue', async () => {
    const capped = await respond('Tell me.', { max_output_tokens: 16 });
    expect(capped).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    expect(itemOf(capped, 'message').status).toBe('incomplete');
    expect(capped.usage.output_tokens).toBe(16);
    expect((await respond('[[filter]]')).incomplete_details).toEqual({ reason: 'content_filter' });
    const refused = await respond('[[refuse]]');
    expect(refused.status).toBe('completed');
    expect(itemOf(refused, 'message').content).toEqual([
      { type: 'refusal', refusal: expect.stringMatching(/can't help/) },
    ]);
  });

  test('fails on cue with an error in it and no usage', async () => {
    const error = { code: 'server_error', message: expect.any(String) };
    expect(await respond('[[fail]] hi')).toMatchObject({ status: 'failed', error, output: [], usage: null });
  });

  test('is JSON of the shape that text.format asks for', async () => {
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
    const fitted = await respond('hi', { text: { format: { type: 'json_schema', name: 'x', schema } } });
    expect(JSON.parse(textOf(fitted))).toEqual({ ok: expect.any(Boolean) });
    const free = await respond('hi', { text: { format: { type: 'json_object' } } });
    expect(JSON.parse(textOf(free))).toEqual({ answer: expect.any(String) });
  });

  test('has a picture from the model that draws', async () => {
    const drawn = await respond('Draw it blue.', { model: 'sim-image-chat' });
    expect(itemOf(drawn, 'image_generation_call')).toMatchObject({
      status: 'completed',
      result: expect.stringMatching(/^iVBOR/),
    });
  });
});

describe('the input', () => {
  test('may be messages with parts, of which the last user message is asked', async () => {
    const image_url = `data:image/png;base64,${encodePng({ red: 0, green: 0, blue: 220 }, 20).toString('base64')}`;
    const reply = await respond([
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hello' }] },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', image_url },
        ],
      },
    ]);
    expect(textOf(reply)).toContain('blue');
  });

  test('calls a tool, and quotes the output that comes back with the call', async () => {
    const user = { role: 'user', content: 'Use get_weather.' };
    const called = await respond([user], { tools: [weather], include: ['reasoning.encrypted_content'] });
    const call = itemOf(called, 'function_call');
    expect(call).toEqual({
      type: 'function_call',
      id: expect.stringMatching(/^fc_/),
      call_id: expect.stringMatching(/^call_/),
      name: 'get_weather',
      arguments: '{"city":"a town with a long name"}',
      status: 'completed',
    });
    expect(called.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call']);
    const output = [{ type: 'input_text', text: 'rain all day' }];
    const answer = { type: 'function_call_output', call_id: call.call_id, output };
    const reply = await respond([user, ...called.output, answer], { tools: [weather] });
    expect(textOf(reply)).toContain('rain all day');
  });

  test.each([
    ['none', 'none', 'get_weather', []],
    ['required', 'required', 'hello', ['get_weather']],
    ['one by name', { type: 'function', name: 'get_weather' }, 'hello', ['get_weather']],
  ])('tool_choice: %s', async (_, tool_choice, input, names) => {
    const { output } = await respond(input, { tools: [weather], tool_choice });
    expect(output.flatMap((item) => item.name ?? [])).toEqual(names);
  });
});

describe('reasoning', () => {
  test('is summarised and sealed where that is asked for, and its seal is known again', async () => {
    const more = { reasoning: { effort: 'low', summary: 'auto' }, include: ['reasoning.encrypted_content'] };
    const reply = await respond('Reply with exactly: hi', more);
    const reasoning = itemOf(reply, 'reasoning');
    expect(reasoning.summary).toEqual([{ type: 'summary_text', text: expect.stringMatching(/./) }]);
    const user = { role: 'user', content: 'Reply with exactly: again' };
    expect(textOf(await respond([reasoning, user]))).toBe('again');
    for (const encrypted_content of [`${reasoning.encrypted_content}A`, 'gAAAAAforged', 'x']) {
      expect((await respond([{ ...reasoning, encrypted_content }, user])).error).toMatchObject({
        code: 'invalid_encrypted_content',
        type: 'invalid_request_error',
      });
    }
  });
});

describe('web search', () => {
  test('comes before the message, when on offer and asked for', async () => {
    const asked = 'Please search the web for old maps. Reply with exactly: found';
    for (const model of ['sim-chat', 'sim-research-1']) {
      const reply = await respond(asked, { model, tools: [search] });
      expect(reply.output.map(({ type }) => type)).toEqual(['reasoning', 'web_search_call', 'message']);
      expect(itemOf(reply, 'web_search_call')).toMatchObject({
        id: expect.stringMatching(/^ws_/),
        status: 'completed',
        action: { type: 'search', query: 'old maps' },
      });
    }
    for (const more of [{}, { tools: [search], tool_choice: 'none' }]) {
      expect(itemOf(await respond(asked, more), 'web_search_call')).toBeUndefined();
    }
    expect(itemOf(await respond('hi', { tools: [search] }), 'web_search_call')).toBeUndefined();
  });
});

describe('a stream', () => {
  test('opens, adds, grows and closes each item in the order of OpenAI', async () => {
    const events = await stream('Search the web. Reply with exactly: Hello there', {
      tools: [search],
      reasoning: { summary: 'auto' },
    });
    expect(events.map((event) => event.sequence_number)).toEqual([...events.keys()]);
    expect(typesOf(events)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.web_search_call.in_progress',
      'response.web_search_call.searching',
      'response.web_search_call.completed',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.completed',
    ]);
    expect(deltasOf(events, 'response.output_text.delta')).toEqual(['Hell', 'o th', 'ere']);
    const done = events.filter((event) => event.type === 'response.output_item.done');
    expect(events.at(-1)?.response.output).toEqual(done.map((event) => event.item));
  });

  test('says and costs the same as the whole answer', async () => {
    const whole = await respond('Tell me.');
    const events = await stream('Tell me.');
    expect(deltasOf(events, 'response.output_text.delta').join('')).toBe(textOf(whole));
    expect(events.at(-1)?.response.usage).toEqual(whole.usage);
    expect(events[0]?.response).toMatchObject({ status: 'in_progress', output: [], usage: null });
  });

  test('names each event in its own line', async () => {
    const text = await (await post({ input: 'hi', stream: true })).text();
    const lines = text.split('\n\n').filter((frame) => frame !== '');
    for (const frame of lines) expect(frame).toMatch(/^event: ([\w.]+)\ndata: \{"type":"\1",/);
  });

  test('has refusals and arguments in pieces of their own, and ends as the answer does', async () => {
    const refused = await stream('[[refuse]]');
    expect(deltasOf(refused, 'response.refusal.delta').join('')).toMatch(/can't help/);
    const called = await stream('get_weather', { tools: [weather] });
    const pieces = deltasOf(called, 'response.function_call_arguments.delta');
    expect(pieces.length).toBeGreaterThan(1);
    expect(JSON.parse(pieces.join(''))).toEqual({ city: 'a town with a long name' });
    expect((await stream('[[filter]]')).at(-1)?.type).toBe('response.incomplete');
    expect((await stream('[[fail]] Tell me.')).at(-1)?.type).toBe('response.failed');
  });

  test('is cut into as many pieces as the cue says', async () => {
    const events = await stream('[[chunks 3]] Reply with exactly: one two three');
    expect(deltasOf(events, 'response.output_text.delta')).toHaveLength(3);
  });
});
