/** The proxies of deploy/ as people run them, with TLS: streams, large uploads, plain http. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MIB } from '../../src/kernel/bytes.ts';
import { testConfig, withBatches } from '../support/config.ts';
import { quickEngine } from '../support/engines.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { type Installed, install } from '../support/installed-gateway.ts';
import { batchOf, sendLargeUpload } from '../support/large-upload.ts';
import { findProxy, proxyNames, startProxy, type TestProxy } from '../support/proxies.ts';

const FRAMES = 5;
const UPLOAD_BYTES = 100 * MIB;

let installed: Installed;
let gateway: GatewayProcess;
let provider: Server;
/** Answers the stream that the provider was asked for. */
let answerStream: (reply: ServerResponse) => void = () => undefined;

beforeAll(async () => {
  provider = createServer((asked, reply) => {
    asked.resume().on('end', () => answerStream(reply));
  });
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const { port } = provider.address() as AddressInfo;
  const own = { dialect: 'openai', base_url: `http://127.0.0.1:${port}/v1`, api_key: 'key' };
  const config = withBatches(
    testConfig({
      providers: { own },
      models: { slow: { capabilities: ['streaming'], routes: [{ provider: 'own', model: 'slow' }] } },
      server: { trust_proxy: true, public_url: 'https://gateway.example.com' },
    }),
  );
  installed = await install(quickEngine, config);
  gateway = await startGatewayProcess(installed);
});
afterAll(async () => {
  await gateway?.stop();
  provider?.close();
  provider?.closeAllConnections();
  await installed?.remove();
});

describe.each(proxyNames)('%s', (name) => {
  const program = findProxy(name);
  let proxy: TestProxy;
  if (program === null) process.stderr.write(`${name} is not installed, so its file is not tested.\n`);

  beforeAll(async () => {
    if (program === null) return;
    const port = Number(new URL(gateway.url).port);
    proxy = await startProxy(name, program, [port, port]);
    await proxy.ready();
  });
  afterAll(() => proxy?.stop());

  test.skipIf(program === null)('passes each frame of a stream on before the next one is sent', async () => {
    const seen = new FrameCounter();
    answerStream = (reply) => void sendFrames(reply, seen);
    const reply = await call(proxy, { model: 'slow', stream: true });
    expect(reply.statusCode).toBe(200);
    expect(reply.headers['content-type']).toContain('text/event-stream');
    for await (const chunk of reply) seen.add(`${chunk}`);
    expect(seen.text).toMatch(/data: \[DONE\]\n\n$/);
    for (let frame = 0; frame < FRAMES; frame++) expect(seen.text).toContain(`frame-${frame}.`);
  });

  test.skipIf(program === null)('ends the call at the provider when the caller leaves', async () => {
    const left = new Promise<void>((resolve) => {
      answerStream = (reply) => {
        reply.writeHead(200, { 'content-type': 'text/event-stream' });
        reply.write(frame('first.'));
        reply.on('close', resolve);
      };
    });
    const reply = await call(proxy, { model: 'slow', stream: true });
    await once(reply, 'data');
    reply.destroy();
    await left;
  });

  test.skipIf(program === null)('passes an upload of 100 MiB on', async () => {
    const { status, body } = await sendLargeUpload({
      url: proxy.url,
      key: installed.key,
      agent: proxy.agent,
      pieces: batchOf(UPLOAD_BYTES, 1_000_000),
      bytes: UPLOAD_BYTES,
    });
    expect({ status, body }).toMatchObject({ status: 200 });
    expect(JSON.parse(body)).toMatchObject({ object: 'file', bytes: UPLOAD_BYTES });
  });

  test.skipIf(program === null)('redirects plain http to https, if it listens there', async () => {
    if (proxy.plainUrl === null) return;
    const reply = await fetch(`${proxy.plainUrl}/v1/models?a=b`, { redirect: 'manual' });
    expect(reply.status).toBe(308);
    expect(reply.headers.get('location')).toMatch(/^https:\/\/[^/]+\/v1\/models\?a=b$/);
  });
});

/** What the caller has received. */
class FrameCounter {
  text = '';
  #waiting: { part: string; resolve: () => void } | null = null;

  add(text: string): void {
    this.text += text;
    if (this.#waiting !== null && this.text.includes(this.#waiting.part)) this.#waiting.resolve();
  }

  async received(part: string): Promise<void> {
    if (this.text.includes(part)) return;
    await new Promise<void>((resolve) => {
      this.#waiting = { part, resolve };
    });
  }
}

/** Sends a frame only after the caller has received the one before: a proxy that collects frames waits forever. */
async function sendFrames(reply: ServerResponse, seen: FrameCounter): Promise<void> {
  reply.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let i = 0; i < FRAMES; i++) {
    reply.write(frame(`frame-${i}.`));
    await seen.received(`frame-${i}.`);
  }
  const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
  reply.write(chunkOf({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
  reply.end(`${chunkOf({ choices: [], usage })}data: [DONE]\n\n`);
}

function frame(content: string): string {
  return chunkOf({ choices: [{ index: 0, delta: { role: 'assistant', content } }] });
}

function chunkOf(more: object): string {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'slow' };
  return `data: ${JSON.stringify({ ...head, ...more })}\n\n`;
}

async function call({ url, agent }: TestProxy, body: object): Promise<IncomingMessage> {
  const sent = request(`${url}/v1/chat/completions`, {
    method: 'POST',
    agent,
    headers: { authorization: `Bearer ${installed.key}`, 'content-type': 'application/json' },
  });
  sent.end(JSON.stringify({ messages: [{ role: 'user', content: 'x' }], ...body }));
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return reply;
}
