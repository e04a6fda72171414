import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../kernel/time.ts';
import { AddressGuard } from './address-guard.ts';
import { type PostResult, postPublic } from './post-public.ts';

let server: Server;
let origin: string;
const paths: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin);
    paths.push(pathname);
    const endless = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    if (pathname === '/endless') endless();
    else if (pathname === '/redirect') response.writeHead(302, { location: `${origin}/inside` }).end();
    else if (pathname === '/closed') request.socket.destroy();
    else if (pathname === '/half') request.socket.end('HTTP/1.1 200 OK\r\ncontent-le');
    else if (pathname === '/lie') response.writeHead(200, { 'content-length': '1000' }).end('x');
    else if (pathname !== '/silent') response.writeHead(201).end();
    if (pathname === '/endless') response.on('drain', endless);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const trusting = new AddressGuard({ allowed: ['127.0.0.1'] });

function posted(address: string, guard = trusting, totalMs = 30_000): Promise<PostResult> {
  const { signal } = new AbortController();
  const post = { address, headers: { a: 'b' }, body: Buffer.from('{}'), totalMs, signal };
  return postPublic(post, { guard, clock: systemClock });
}

test('answers the status, also of a body without end or one that lies about its length', async () => {
  expect(await posted(`${origin}/in`)).toEqual({ status: 201 });
  expect(await posted(`${origin}/endless`)).toEqual({ status: 200 });
  expect(await posted(`${origin}/lie`)).toEqual({ status: 200 });
});

test('follows no redirect', async () => {
  paths.length = 0;
  expect(await posted(`${origin}/redirect`)).toEqual({ status: 302 });
  expect(paths).toEqual(['/redirect']);
});

test('says why there is no answer', async () => {
  const cut = { status: null, problem: 'The receiver closed the connection before it answered.' };
  expect(await posted(`${origin}/closed`)).toEqual(cut);
  expect(await posted(`${origin}/half`)).toEqual(cut);
  expect(await posted(`${origin}/silent`, trusting, 50)).toEqual({
    status: null,
    problem: 'The receiver took too long.',
  });
});

test.each([
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://169.254.169.254/latest',
  'https://10.0.0.7/',
  'https://localhost/',
  'https://hooks.internal/',
  'https://rebound.example/',
])('%s gets nothing', async (address) => {
  const guard = new AddressGuard({ allowed: [], resolve: async () => ['203.0.113.7', '10.0.0.1'] });
  const result = await posted(address, guard);
  expect(result).toMatchObject({ status: null, problem: expect.stringContaining('public internet') });
});

test('without TLS only hosts that the operator allowed get something', async () => {
  const guard = new AddressGuard({ allowed: [], resolve: async () => ['203.0.113.7'] });
  expect(await posted('http://hooks.example/', guard)).toEqual({
    status: null,
    problem: 'The address must be an https address.',
  });
});
