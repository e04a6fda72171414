/** What providers of images get wrong: nothing of theirs leaks, nothing is charged by guess, all is recorded. */

import { createServer, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pointAt } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { callRow, imagesConfig } from '../support/images-stage.ts';

const image = Buffer.alloc(3_000_000, 'pixels').toString('base64');
const usage = {
  input_tokens: 30,
  input_tokens_details: { text_tokens: 10, image_tokens: 20 },
  output_tokens: 1_000,
  total_tokens: 1_030,
};
const json = (value: unknown) => (response: ServerResponse) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(value));
};

describe.each(oneEngine('postgres', 'providers'))('a provider of images on %s', (engine) => {
  let gateway: TestGateway;
  let server: Server;
  let answer: (response: ServerResponse) => void = json({});

  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      request.on('end', () => answer(response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const fake = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    gateway = await startGateway({ engine, config: pointAt(imagesConfig, { fake }) });
  });
  afterAll(async () => {
    await gateway.stop();
    server.close();
  });

  const ask = (model: string): Promise<Response> =>
    gateway.post('/v1/images/generations', { model, prompt: 'A cat' });

  test('that answers with an address is upstream_error, and the address stays here', async () => {
    for (const data of [
      [{ url: 'https://secret.example/1.png' }],
      [{ b64_json: image }, { url: 'https://secret.example/1.png' }],
    ]) {
      answer = json({ created: 1, data });
      const reply = await ask('fake-image');
      const text = await reply.text();
      expect([reply.status, JSON.parse(text).type]).toEqual([502, 'upstream_error']);
      expect(text).not.toContain('secret.example');
      const row = await callRow(gateway, reply.headers.get('x-request-id'));
      expect(row).toMatchObject({ outcome: 'failed', problem: 'upstream_error', cost: null });
    }
  });

  test('that tells no usage is paid per image, or not at all where only tokens have a price', async () => {
    const sent = { created: 1, data: [{ b64_json: image }, { b64_json: image }] };
    answer = json(sent);
    const priced = await ask('fake-image');
    expect(await priced.json()).toEqual({
      ...sent,
      estimated_cost: expect.objectContaining({ amount: '0.04' }),
    });
    expect(await callRow(gateway, priced.headers.get('x-request-id'))).toMatchObject({
      usage_source: 'provider',
      images: '2',
      output_tokens: '0',
    });
    const unpriced = await ask('fake-by-tokens');
    expect(await unpriced.json()).toEqual({ ...sent, estimated_cost: null });
    expect(unpriced.headers.get('x-tollgate-cost-units')).toBeNull();
    expect(await callRow(gateway, unpriced.headers.get('x-request-id'))).toMatchObject({
      outcome: 'completed',
      images: '2',
      cost: null,
    });
  });

  test('that tells its usage before the images is paid by it', async () => {
    const sent = { created: 1, usage, data: [{ b64_json: image }] };
    answer = json(sent);
    const reply = await ask('fake-by-tokens');
    const body = (await reply.json()) as typeof sent & { estimated_cost: { amount: string } };
    expect(body).toEqual({ ...sent, estimated_cost: body.estimated_cost });
    expect(body.estimated_cost.amount).toBe('0.04025');
    const row = await callRow(gateway, reply.headers.get('x-request-id'));
    expect([Number(row.cost), row.image_input_tokens]).toEqual([0.04025, '20']);
  });

  test('that names its own model shows ours', async () => {
    answer = json({ model: 'fake-upstream', data: [{ b64_json: image }] });
    const body = (await (await ask('fake-image')).json()) as { model: string; created: number };
    expect(body).toMatchObject({ model: 'fake-image', created: expect.any(Number) });
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['half a body', (it) => it.end(JSON.stringify({ data: [{ b64_json: image }] }).slice(0, -3))],
    ['half an image', (it) => it.end(`{"data":[{"b64_json":"${image.slice(0, 1_000_000)}`)],
    ['no images', json({ created: 1, data: [] })],
    ['something else', json({ choices: [] })],
    ['more than it may', json({ data: [{ b64_json: 'A'.repeat(21_000_000) }] })],
    ['a connection cut in the middle', cutOff],
  ])('that sends %s is upstream_error, with a record and no charge', async (_, send) => {
    answer = send;
    const reply = await ask('fake-image');
    expect(reply.status).toBe(502);
    expect(await reply.json()).toMatchObject({ type: 'upstream_error' });
    const row = await callRow(gateway, reply.headers.get('x-request-id'));
    expect(row).toMatchObject({ outcome: 'failed', problem: 'upstream_error', cost: null, images: null });
  });

  test.each([
    ['error-429', 429, 'rate_limit_exceeded'],
    ['error-500', 502, 'upstream_error'],
    ['cut-body', 502, 'upstream_error'],
    ['not-json', 502, 'upstream_error'],
    ['html', 502, 'upstream_error'],
    ['error-body-200', 502, 'upstream_error'],
  ])('with the fault %s answers %i %s', async (fault, status, type) => {
    const reply = await ask(`sim-fault-${fault}`);
    expect([reply.status, ((await reply.json()) as { type: string }).type]).toEqual([status, type]);
    const row = await callRow(gateway, reply.headers.get('x-request-id'));
    expect(row).toMatchObject({ outcome: 'failed', problem: type, cost: null });
  });

  test('has its large answer left in the middle, again and again, and the next one is served', async () => {
    const sent = { created: 1, data: [{ b64_json: image.repeat(3) }] };
    answer = json(sent);
    for (const readBytes of [1, 100_000, 200_000, 1_000_000, 3_000_000]) {
      await Promise.all(Array.from({ length: 5 }, () => leaveEarly(gateway, readBytes)));
    }
    expect(await (await ask('fake-image')).json()).toMatchObject(sent);
  });

  test('is let go when the caller leaves, and nothing is charged', async () => {
    const left = new AbortController();
    const gone = new Promise<void>((resolve) => {
      answer = (response) => {
        response.on('close', resolve);
        left.abort();
      };
    });
    const call = fetch(`${gateway.url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'fake-image', prompt: 'A cat' }),
      signal: left.signal,
    });
    await expect(call).rejects.toThrow();
    await gone;
  });
});

/** Resolves when the first bytes of an answer are in, and leaves. */
function leaveEarly({ url, key }: TestGateway, readBytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    asked.on('error', reject);
    asked.on('response', (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes >= readBytes) response.destroy();
      });
      response.on('close', resolve);
    });
    asked.end(JSON.stringify({ model: 'fake-image', prompt: 'A cat' }));
  });
}

function cutOff(response: ServerResponse): void {
  response.setHeader('content-length', '9000000');
  response.write(`{"data":[{"b64_json":"${image.slice(0, 100_000)}`, () => response.socket?.destroy());
}
