import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../kernel/time.ts';
import { AddressGuard } from './address-guard.ts';
import { fetchPublic } from './fetch-public.ts';

let server: Server;
let origin: string;
const heads: Array<Record<string, unknown>> = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    heads.push(request.headers);
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    const to = searchParams.get('to');
    if (to !== null) response.writeHead(302, { location: to, 'set-cookie': 'a=b' }).end();
    else if (pathname === '/endless') for (let i = 0; i < 64; i++) response.write(Buffer.alloc(4096));
    else if (pathname === '/gone') response.writeHead(404).end('secret of the house');
    else if (pathname === '/cut')
      response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy());
    else if (pathname === '/protocol')
      request.socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    else if (pathname !== '/silent') response.end('a picture');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const guard = new AddressGuard({ allowed: ['127.0.0.1'], resolve: async () => ['10.0.0.1'] });

function fetched(
  url: string,
  totalMs = 5_000,
  guarded: Pick<AddressGuard, 'check'> = guard,
): Promise<Buffer> {
  return fetchPublic(
    url,
    {
      param: 'image_url',
      schemes: ['https'],
      limits: { bytesMax: 64 * 1024, totalMs },
      signal: new AbortController().signal,
    },
    { guard: guarded, clock: systemClock },
  );
}

test('fetches the bytes, and sends nothing but what is asked for', async () => {
  heads.length = 0;
  expect((await fetched(`${origin}/a?b=c`)).toString()).toBe('a picture');
  expect(Object.keys(heads[0] ?? {}).sort()).toEqual([
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
});

test('follows three redirects without the cookies of any, and no fourth', async () => {
  const around = (times: number): string =>
    times === 0 ? '/' : `/?to=${encodeURIComponent(around(times - 1))}`;
  heads.length = 0;
  expect((await fetched(`${origin}${around(3)}`)).toString()).toBe('a picture');
  expect(heads).toHaveLength(4);
  expect(heads.some((head) => 'cookie' in head)).toBe(false);
  await expect(fetched(`${origin}${around(4)}`)).rejects.toThrow('is redirected more than 3 times');
});

test.each([
  'http://169.254.169.254/latest/meta-data/',
  'http://localhost:9/',
  'https://10.0.0.1/',
  'https://private.example.com/',
  'file:///etc/passwd',
  'https://u:p@127.0.0.1/',
])('checks where it is redirected to: %s', async (to) => {
  await expect(fetched(`${origin}/?to=${encodeURIComponent(to)}`)).rejects.toMatchObject({
    code: 'invalid_parameter',
    param: 'image_url',
  });
});

test.each([
  ['/endless', 5_000, 'image_url is larger than 65536 bytes.'],
  ['/silent', 100, 'image_url could not be fetched: its server took too long.'],
  ['/protocol', 5_000, 'image_url could not be fetched: its server closed the connection or is unreachable.'],
  ['/gone', 5_000, 'image_url could not be fetched: its server answered with status 404.'],
  ['/cut', 5_000, 'image_url could not be fetched: its server closed the connection or is unreachable.'],
  ['/?to=http%3A%2F%2F%5B', 5_000, 'image_url could not be fetched: its server answered with status 302.'],
])('says what is wrong with %s', async (path, totalMs, detail) => {
  await expect(fetched(`${origin}${path}`, totalMs)).rejects.toMatchObject({
    code: 'invalid_parameter',
    detail,
  });
});

test('connects to the address that was checked, not to what the name says by then', async () => {
  const { port } = server.address() as AddressInfo;
  const pinned = {
    check: async (text: string) => ({ url: new URL(text), addresses: ['127.0.0.1'] }),
  };
  heads.length = 0;
  expect((await fetched(`http://no-such-name.invalid:${port}/`, 5_000, pinned)).toString()).toBe('a picture');
  expect(heads[0]?.host).toBe(`no-such-name.invalid:${port}`);
});
