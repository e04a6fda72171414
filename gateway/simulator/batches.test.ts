/** The batches of the simulator, as the providers' own clients see them. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulator, startSimulator } from './simulator.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

test("OpenAI's client hands in a file, has it run, lists, and reads what came of it", async () => {
  const client = new OpenAI({ baseURL: simulator.url, apiKey: 'key', maxRetries: 0 });
  const line = (id: string, content: string): string =>
    JSON.stringify({
      custom_id: id,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'sim-chat', messages: [{ role: 'user', content }] },
    });
  const text = [line('a', 'Reply with exactly: A'), line('b', 'hi [[fault error-422]]')].join('\n');
  const file = await client.files.create({
    file: await toFile(Buffer.from(text), 'in.jsonl'),
    purpose: 'batch',
  });
  const input = { endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
  const made = await client.batches.create({ ...input, input_file_id: file.id, metadata: { our: 'id' } });
  expect(made).toMatchObject({ object: 'batch', status: 'validating', metadata: { our: 'id' } });
  const ended = await client.batches.retrieve(made.id);
  expect(ended).toMatchObject({ status: 'completed', request_counts: { total: 2, completed: 1, failed: 1 } });
  const output = await (await client.files.content(ended.output_file_id as string)).text();
  expect(JSON.parse(output)).toMatchObject({ custom_id: 'a', response: { status_code: 200 }, error: null });
  const errors = await (await client.files.content(ended.error_file_id as string)).text();
  expect(JSON.parse(errors)).toMatchObject({ custom_id: 'b', response: { status_code: 422 } });
  for (let i = 0; i < 6; i++) await client.batches.create({ ...input, input_file_id: file.id });
  const listed: string[] = [];
  for await (const batch of client.batches.list({ limit: 100 })) listed.push(batch.id);
  expect(listed).toHaveLength(7);
  expect(listed.at(-1)).toBe(made.id);
  await expect(client.batches.cancel(made.id)).rejects.toMatchObject({ status: 409 });
  await client.files.delete(file.id);
  await expect(client.batches.create({ ...input, input_file_id: file.id })).rejects.toMatchObject({
    status: 400,
  });
});

test("Anthropic's client has messages run, stops them, lists, and reads what came of it", async () => {
  const { batches } = new Anthropic({ baseURL: simulator.origin, apiKey: 'key', maxRetries: 0 }).messages;
  const request = (custom_id: string, content: string) => ({
    custom_id,
    params: { model: 'sim-claude', max_tokens: 50, messages: [{ role: 'user' as const, content }] },
  });
  const made = await batches.create({
    requests: [request('a', 'Reply with exactly: A'), request('b', 'hi [[fault error-529]]')],
  });
  expect(made).toMatchObject({ type: 'message_batch', processing_status: 'in_progress' });
  expect(await batches.retrieve(made.id)).toMatchObject({
    processing_status: 'ended',
    request_counts: { processing: 0, succeeded: 1, errored: 1, canceled: 0, expired: 0 },
  });
  const results = new Map<string, string>();
  const reply = await fetch(`${simulator.origin}/v1/messages/batches/${made.id}/results`, {
    headers: { 'anthropic-version': '2023-06-01' },
  });
  for (const line of (await reply.text()).split('\n').filter(Boolean)) {
    const { custom_id, result } = JSON.parse(line) as { custom_id: string; result: { type: string } };
    results.set(custom_id, result.type);
  }
  expect(Object.fromEntries(results)).toEqual({ a: 'succeeded', b: 'errored' });
  const stays = await batches.create({ requests: [request('c', '[[batch stay]]'), request('d', 'hi')] });
  expect(await batches.cancel(stays.id)).toMatchObject({ processing_status: 'canceling' });
  await expect
    .poll(async () => (await batches.retrieve(stays.id)).request_counts)
    .toMatchObject({ succeeded: 1, canceled: 1 });
  const listed: string[] = [];
  for await (const batch of batches.list({ limit: 1 })) listed.push(batch.id);
  expect(listed).toEqual([stays.id, made.id]);
  await batches.delete(made.id);
  await expect(batches.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
  await expect(batches.create({ requests: [request('no spaces', 'hi')] })).rejects.toMatchObject({
    status: 400,
  });
});
