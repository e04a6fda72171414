/** Providers over TLS: the certificate decides, and nothing is sent to one that does not prove itself. */

import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');
const trusted = getCACertificates('default');
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const answer = {
  object: 'chat.completion',
  model: 'far',
  choices: [{ index: 0, message: {}, finish_reason: 'stop' }],
  usage,
};
const chunk = {
  object: 'chat.completion.chunk',
  model: 'far',
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
  usage,
};

let server: Server;
let gateway: TestGateway;
let requests = 0;

beforeAll(async () => {
  const keys = { key: fixture('localhost.key.pem'), cert: fixture('localhost.cert.pem') };
  const answerCall = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests++;
    let body = '';
    for await (const piece of request) body += piece;
    const streams = (JSON.parse(body) as { stream?: boolean }).stream === true;
    response.setHeader('content-type', streams ? 'text/event-stream' : 'application/json');
    response.end(streams ? `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n` : JSON.stringify(answer));
  };
  server = createServer(keys, (request, response) => void answerCall(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  gateway = await startGateway({
    config: testConfig({
      providers: [
        `  named: { dialect: openai, base_url: "https://localhost:${port}/v1", api_key: k }`,
        `  numbered: { dialect: openai, base_url: "https://127.0.0.1:${port}/v1", api_key: k }`,
      ].join('\n'),
      models: [
        '  by-name: { capabilities: [streaming], routes: [{ provider: named, model: far }] }',
        '  by-address: { capabilities: [streaming], routes: [{ provider: numbered, model: far }] }',
      ].join('\n'),
    }),
  });
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await gateway.stop();
  server.closeAllConnections();
  server.close();
});

const ask = (model: string, stream = false) =>
  gateway.chat({ model, stream, messages: [{ role: 'user', content: 'x' }] });

test('a certificate nobody vouches for is a provider that cannot be reached, and sees no request', async () => {
  const reply = await ask('by-name');
  expect(reply.status).toBe(503);
  expect(await reply.json()).toMatchObject({ type: 'upstream_unavailable' });
  expect(requests).toBe(0);
});

test.each(['by-name', 'by-address'])(
  'a provider that proves itself is called, whole and streamed (%s)',
  async (model) => {
    setDefaultCACertificates([...trusted, fixture('localhost.cert.pem')]);
    const whole = await ask(model);
    expect(whole.status).toBe(200);
    expect(await whole.json()).toMatchObject({ model, usage });
    expect(await (await ask(model, true)).text()).toContain('data: [DONE]');
  },
);
