/** Answers that a test prepared word for word. */
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulator, startSimulator } from './simulator.ts';
import { ask, userPrompt } from './testing/call-simulator.ts';

const body = '{"id":"x","choices":[],"usage":{"prompt_tokens":3,"odd_tokens":4}}';
const frames = ['data: {"id":"x"}\n\n', 'data: [DONE]\n\n'];

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
  simulator.answers.set('odd', { body, frames, headers: { 'x-odd': 'yes' } });
  simulator.answers.set('wrong', { status: 418, body: '{"error":{"message":"No."}}' });
});
afterAll(() => simulator.stop());

test('a prompt that names an answer gets it byte for byte, whole and as a stream, with its headers', async () => {
  const whole = await ask(simulator.url, userPrompt('Hello [[say odd]]', { model: 'any-name' }));
  expect(whole).toMatchObject({ status: 200, text: body });
  expect(whole.headers).toMatchObject({ 'x-odd': 'yes', 'content-type': 'application/json' });
  const stream = await ask(simulator.url, userPrompt('[[say odd]]', { stream: true }));
  expect(stream).toMatchObject({ status: 200, text: frames.join('') });
  expect(stream.headers).toMatchObject({
    'x-odd': 'yes',
    'content-type': 'text/event-stream; charset=utf-8',
  });
  expect(await ask(simulator.url, userPrompt('[[say wrong]]', { stream: true }))).toMatchObject({
    status: 418,
  });
});

test('an answer that was not prepared is 404', async () => {
  expect((await ask(simulator.url, userPrompt('[[say other]]'))).status).toBe(404);
});

test('a line of a batch gets its answer too', async () => {
  const openai = new OpenAI({ baseURL: simulator.url, apiKey: 'key', maxRetries: 0 });
  const lines = ['odd', 'wrong'].map((name) => {
    const line = { custom_id: name, method: 'POST', url: '/v1/chat/completions' };
    return JSON.stringify({ ...line, body: userPrompt(`[[say ${name}]]`) });
  });
  const file = await toFile(Buffer.from(lines.join('\n')), 'in.jsonl');
  const { id: input_file_id } = await openai.files.create({ file, purpose: 'batch' });
  const made = await openai.batches.create({
    ...{ input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' },
  });
  const ended = await openai.batches.retrieve(made.id);
  const read = async (id: string | null | undefined) =>
    JSON.parse(await (await openai.files.content(id ?? '')).text());
  expect(await read(ended.output_file_id)).toMatchObject({ response: { body: JSON.parse(body) } });
  expect(await read(ended.error_file_id)).toMatchObject({ response: { status_code: 418 } });

  const headers = {
    'x-api-key': 'key',
    'anthropic-version': '2023-06-01',
    'content-type': 'application/json',
  };
  const batches = `${simulator.origin}/v1/messages/batches`;
  const params = { model: 'sim-claude', max_tokens: 9, messages: [{ role: 'user', content: '[[say odd]]' }] };
  const requests = [{ custom_id: 'a', params }];
  const posted = await fetch(batches, { method: 'POST', headers, body: JSON.stringify({ requests }) });
  const { id } = (await posted.json()) as { id: string };
  await fetch(`${batches}/${id}`, { headers });
  const results = await (await fetch(`${batches}/${id}/results`, { headers })).json();
  expect(results).toMatchObject({ result: { type: 'succeeded', message: JSON.parse(body) } });
});
