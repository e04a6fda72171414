/** Requests that go out through a forward proxy, and those that must not. */
import { readFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { S3Blobs } from '../../src/blobs/s3.ts';
import { KIB } from '../../src/kernel/bytes.ts';
import { newId } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { fetchPublic } from '../../src/net/fetch-public.ts';
import { Proxies } from '../../src/net/proxies.ts';
import { TransferClient } from '../../src/net/transfer.ts';
import { testConfig } from '../support/config.ts';
import { type ForwardProxyStage, startForwardProxy } from '../support/forward-proxy.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { startS3, type TestS3 } from '../support/s3.ts';

const PASSWORD = 'Corp0rate-Passw0rd';
const CREDENTIALS = `Basic ${Buffer.from(`gateway:${PASSWORD}`).toString('base64')}`;
const CHECKED = '93.184.215.14';
const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');
const trusted = getCACertificates('default');
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const whole = {
  object: 'chat.completion',
  model: 'far',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage,
};
const chunk = {
  object: 'chat.completion.chunk',
  model: 'far',
  choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }],
  usage,
};

const servers: Server[] = [];
let proxy: ForwardProxyStage;
let gateway: TestGateway;
let s3: TestS3;
const heads: IncomingMessage['headers'][] = [];

async function answerCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
  heads.push(request.headers);
  let body = '';
  for await (const piece of request) body += piece;
  if (request.method === 'GET') {
    response.end('a picture');
    return;
  }
  const streams = (JSON.parse(body) as { stream?: boolean }).stream === true;
  response.setHeader('content-type', streams ? 'text/event-stream' : 'application/json');
  response.end(streams ? `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n` : JSON.stringify(whole));
}

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  setDefaultCACertificates([...trusted, fixture('model.example.cert.pem')]);
  const keys = { key: fixture('model.example.key.pem'), cert: fixture('model.example.cert.pem') };
  const secure = await listening(
    createHttpsServer(keys, (request, response) => void answerCall(request, response)),
  );
  const plain = await listening(createHttpServer((request, response) => void answerCall(request, response)));
  s3 = await startS3();
  proxy = await startForwardProxy({
    'model.example:443': secure,
    'model.example:80': plain,
    [`${CHECKED}:443`]: secure,
    [`${CHECKED}:8080`]: plain,
    '192.0.2.10:9000': Number(new URL(s3.endpoint).port),
  });
  const address = `http://gateway:${PASSWORD}@127.0.0.1:${proxy.port}`;
  gateway = await startGateway({
    env: { HTTPS_PROXY: address, http_proxy: address, NO_PROXY: 'direct.example' },
    config: testConfig({
      providers: [
        '  secure: { dialect: openai, base_url: "https://model.example/v1", api_key: k }',
        '  plain: { dialect: openai, base_url: "http://model.example/v1", api_key: k }',
        '  exempt: { dialect: openai, base_url: "http://direct.example/v1", api_key: k }',
      ].join('\n'),
      models: ['secure', 'plain', 'exempt']
        .map(
          (name) => `  ${name}: { capabilities: [streaming], routes: [{ provider: ${name}, model: far }] }`,
        )
        .join('\n'),
    }),
  });
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await gateway.stop();
  await proxy.stop();
  await s3.stop();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});
beforeEach(() => {
  proxy.refuseWith(null);
  proxy.asked.length = 0;
  proxy.authorizations.length = 0;
  heads.length = 0;
});

const ask = (model: string, stream = false): Promise<Response> =>
  gateway.chat({ model, stream, messages: [{ role: 'user', content: 'x' }] });

test('a model over https is called through a tunnel that ends at the model, whole and streamed', async () => {
  const reply = await ask('secure');
  expect(reply.status).toBe(200);
  expect(await reply.json()).toMatchObject({ usage });
  const streamed = await ask('secure', true);
  expect(await streamed.text()).toContain('[DONE]');
  expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT model.example:443']));
  expect(proxy.authorizations[0]).toBe(CREDENTIALS);
  expect(heads.every((head) => head.host === 'model.example' && !('proxy-authorization' in head))).toBe(true);
});

test('a model over http is asked for by its whole address', async () => {
  const reply = await ask('plain');
  expect(reply.status).toBe(200);
  expect(await reply.json()).toMatchObject({ usage });
  expect(proxy.asked).toEqual(['POST http://model.example/v1/chat/completions']);
  expect(proxy.authorizations).toEqual([CREDENTIALS]);
  expect(heads[0]).toMatchObject({ host: 'model.example' });
});

test('a loopback address and a host of NO_PROXY are called directly', async () => {
  expect((await ask('sim-chat')).status).toBe(200);
  // There is no such host, so nobody but the proxy could have answered.
  expect((await ask('exempt')).status).toBe(503);
  expect(proxy.asked).toEqual([]);
});

test.each(['secure', 'plain'])(
  'a proxy that asks for other credentials is an upstream error (%s)',
  async (model) => {
    proxy.refuseWith(407);
    const reply = await ask(model);
    expect(reply.status).toBeGreaterThanOrEqual(502);
    expect(JSON.stringify(await reply.json())).not.toContain('127.0.0.1');
    if (model === 'secure')
      expect(gateway.logged.join('\n')).toMatch(
        /the proxy http:\/\/127\.0\.0\.1:\d+ refused the tunnel with status 407/,
      );
  },
);

test('the log names the proxies at the start, without their passwords', () => {
  const log = gateway.logged.join('\n');
  expect(log).toContain(`http://127.0.0.1:${proxy.port}`);
  expect(log).not.toContain(PASSWORD);
  expect(log).not.toContain(CREDENTIALS.slice(6));
});

test('a proxy that cannot be reached is named in the failure', async () => {
  const closed = createHttpServer();
  const port = await listening(closed);
  await new Promise((resolve) => closed.close(resolve));
  const address = `http://gateway:${PASSWORD}@127.0.0.1:${port}`;
  const client = new TransferClient({
    baseUrl: 'https://model.example',
    clock: systemClock,
    proxies: new Proxies({ https: address }),
    ...{ connectTimeoutMs: 2_000, silenceTimeoutMs: 2_000, callTotalMs: 5_000, transferTotalMs: 5_000 },
  });
  const { signal } = new AbortController();
  await expect(client.ask({ method: 'GET', path: '/', headers: {}, signal }, 10)).rejects.toMatchObject({
    kind: 'connect',
    message: expect.stringContaining(`the proxy http://127.0.0.1:${port} cannot be reached`),
  });
});

test.each(['http://media.example:8080/a', 'https://media.example/a'])(
  'media is fetched through a tunnel to the address that was checked, not to the name: %s',
  async (url) => {
    const proxies = new Proxies({
      https: `http://127.0.0.1:${proxy.port}`,
      http: `http://127.0.0.1:${proxy.port}`,
    });
    const guard = { check: async (text: string) => ({ url: new URL(text), addresses: [CHECKED] }) };
    const limits = { bytesMax: 64 * KIB, totalMs: 5_000 };
    const fetched = await fetchPublic(
      url,
      { param: 'image_url', schemes: ['http', 'https'], limits },
      { guard, clock: systemClock, proxies },
    );
    expect(fetched.toString()).toBe('a picture');
    expect(proxy.asked).toEqual([`CONNECT ${CHECKED}:${new URL(url).port || '443'}`]);
    expect(heads[0]?.host).toBe(new URL(url).host);
  },
);

test('files of a bucket are written and read through the proxy', async () => {
  const settings = {
    bucket: s3.bucket,
    region: 'us-east-1',
    endpoint: 'http://192.0.2.10:9000',
    prefix: '',
  };
  const blobs = new S3Blobs(settings, new Secret(`http://gateway:${PASSWORD}@127.0.0.1:${proxy.port}`));
  const name = newId('file', systemClock.now());
  const sink = await blobs.write(name);
  await sink.append(Buffer.from('content'));
  await sink.commit();
  expect(await blobs.stat(name)).toEqual({ bytes: 7 });
  expect(proxy.asked.length).toBeGreaterThanOrEqual(2);
  expect(proxy.asked.every((line) => line.includes('192.0.2.10:9000'))).toBe(true);
  expect(proxy.authorizations[0]).toBe(CREDENTIALS);
});
