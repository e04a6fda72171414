import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../catalog/dialects/dialects.ts';
import { Secret } from '../../kernel/secret.ts';
import { systemClock } from '../../kernel/time.ts';
import type { Provider } from '../provider.ts';
import { ProviderMask } from '../provider-mask.ts';
import { openaiProvider } from './openai-provider.ts';

function provider(dialect: Dialect, baseUrl = 'http://127.0.0.1:9/v1'): Provider {
  const settings = { name: 'p', dialect, vendor: null, baseUrl, region: null, simulated: false };
  const tools = {
    clock: systemClock,
    connectTimeoutMs: 1_000,
    silenceTimeoutMs: 1_000,
    callTotalMs: 60_000,
    transferTotalMs: 60_000,
    mask: new ProviderMask(),
  };
  return openaiProvider({ ...settings, apiKey: new Secret('our-own-key') }, tools);
}

describe('a provider of the dialect', () => {
  test.each<[Dialect, string[]]>([
    ['openai', ['chat', 'responses']],
    ['azure-openai', ['chat', 'responses']],
    ['openai-responses', ['responses']],
    ['openai-compatible', ['chat']],
  ])('%s supports %o, the one for translations first', (dialect, formats) => {
    expect(provider(dialect).texts.map(({ format }) => format)).toEqual(formats);
  });

  test.each<[Dialect, IncomingHttpHeaders]>([
    ['openai', { authorization: 'Bearer our-own-key' }],
    ['openai-responses', { authorization: 'Bearer our-own-key' }],
    ['azure-openai', { 'api-key': 'our-own-key' }],
  ])('%s sends a request to its URL with %o and no other credential', async (dialect, expected) => {
    const server = createServer((_, reply) => reply.end('{}')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const upstream = provider(dialect, `http://127.0.0.1:${port}/openai/v1`);
    const arrived = once(server, 'request');
    const send = { upstreamModel: 'm', stream: false, body: Buffer.from('{}'), beta: null };
    const text = upstream.texts.find(({ format }) => format === 'responses');
    await new Promise<void>((resolve, reject) => {
      text?.send(send, {
        head: () => ({ data: () => undefined, end: resolve, fail: reject }),
        fail: reject,
      });
    });
    const [{ url, headers }] = (await arrived) as [{ url: string; headers: IncomingHttpHeaders }];
    const { authorization, 'api-key': apiKey } = headers;
    expect(url).toBe('/openai/v1/responses');
    expect(JSON.parse(JSON.stringify({ authorization, 'api-key': apiKey }))).toEqual(expected);
    await upstream.close();
    server.close();
  });
});
