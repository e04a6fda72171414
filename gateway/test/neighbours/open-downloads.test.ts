/**
 * Downloads: how many may be open, and what becomes of those that nobody reads. `npm run test:chaos` leaves more of them
 * unread (TOLLGATE_UNREAD_ROUNDS).
 */
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { defaultLimits } from '../../src/app/limits.ts';
import { changeConfig } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { chatLine, fileForm, filesConfig, uploaded } from '../support/files-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { linked, makeMedia, sampleOf } from '../support/media-stage.ts';
import { PassingClock } from '../support/passing-clock.ts';
import { PATIENCE } from '../support/patience.ts';
import { metricsOf, parseMetrics, sumOf } from '../support/read-metrics.ts';

/** More than all buffers of a connection hold. */
const LARGE = 20 * 1024 * 1024;
const ROUNDS = Number(process.env.TOLLGATE_UNREAD_ROUNDS ?? 1);
const limits = {
  downloads_per_key: 3,
  downloads_per_space: 4,
  downloads_per_link: 3,
  downloads_per_address: 4,
};

describe.each(oneEngine('embedded', 'memory'))('downloads on %s', (engine) => {
  const clock = new PassingClock();
  let gateway: TestGateway;
  let neighbour: string;
  let content: string;
  let link: string;
  let open: Socket[] = [];

  beforeAll(async () => {
    const config = changeConfig(filesConfig, { limits, server: { trust_proxy: true } });
    gateway = await startGateway({ engine, config, clock });
    // A line has less than 10 MB.
    const lines = Array.from({ length: 5 }, (_, i) => chatLine(`line-${i}`, { user: 'x'.repeat(LARGE / 5) }));
    const file = await uploaded(gateway, fileForm(lines.join('')));
    content = `/v1/files/${file.id}/content`;
    link = await newLink();
    neighbour = (await gateway.admin('keys.create', { space: 'acme', name: 'other', kind: 'shared' })).key;
  });
  afterAll(() => gateway.stop());
  afterEach(async () => {
    for (const socket of open) socket.destroy();
    open = [];
    await vi.waitFor(async () => expect(await gauge('requests_in_flight')).toBe(0), PATIENCE);
  });

  async function newLink(): Promise<string> {
    const { id } = await makeMedia(gateway, clock, { content: sampleOf('video/mp4', LARGE) });
    const { url } = await linked(gateway, id);
    return url.slice(gateway.url.length);
  }

  async function gauge(name: string): Promise<number | null> {
    return sumOf(parseMetrics(await (await metricsOf(gateway)).text()), `tollgate_${name}`);
  }

  /** Asks, and reads the head of the answer and then nothing. */
  async function leaveUnread(path: string, more: Record<string, string> = {}): Promise<number> {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({ host: hostname, port: Number(port) });
    open.push(socket);
    socket.on('error', () => undefined);
    const headers = { host: 'x', authorization: `Bearer ${gateway.key}`, ...more };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const status = new Promise<number>((resolve) =>
      socket.once('data', (bytes: Buffer) => {
        socket.pause();
        resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1'))?.[1]));
      }),
    );
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    return await status;
  }

  async function refusal(path: string, more: Record<string, string> = {}): Promise<object> {
    const headers = { authorization: `Bearer ${gateway.key}`, ...more };
    const reply = await fetch(`${gateway.url}${path}`, { headers });
    const { type, detail } = (await reply.json()) as { type: string; detail: string };
    const [retry, after] = [reply.headers.get('x-should-retry'), reply.headers.get('retry-after')];
    return { status: reply.status, type, detail, retry, after };
  }

  const tooMany = (detail: RegExp): object => ({
    ...{ status: 429, type: 'rate_limit_exceeded', detail: expect.stringMatching(detail) },
    ...{ retry: 'true', after: '2' },
  });

  const unread =
    'downloads that nobody reads are cut after the stall time, not before: a file, a link, a part of it';
  test(unread, { repeats: ROUNDS - 1 }, async () => {
    // Not those of the round before.
    await vi.waitFor(async () => expect(await gauge('answers_unread')).toBe(0), PATIENCE);
    expect(await leaveUnread(content)).toBe(200);
    expect(await leaveUnread(link)).toBe(200);
    expect(await leaveUnread(link, { range: 'bytes=10-' })).toBe(206);
    await vi.waitFor(async () => expect(await gauge('answers_unread')).toBe(3), PATIENCE);
    clock.pass(defaultLimits.clientStallMs / 2);
    expect(await gauge('requests_in_flight')).toBe(3);
    clock.pass(defaultLimits.clientStallMs);
    await vi.waitFor(async () => expect(await gauge('requests_in_flight')).toBe(0), PATIENCE);
  });

  test('a download that is read completely in time is complete', async () => {
    const reply = await fetch(`${gateway.url}${link}`);
    expect((await reply.arrayBuffer()).byteLength).toBe(LARGE);
  });

  test('a key has a limit, its space another, and a head does not count', async () => {
    for (let i = 0; i < limits.downloads_per_key; i++) expect(await leaveUnread(content)).toBe(200);
    expect(await refusal(content)).toEqual(tooMany(/^This key has 3 downloads open, which is the limit\./));
    const head = { method: 'HEAD', headers: { authorization: `Bearer ${gateway.key}` } };
    expect((await fetch(`${gateway.url}${content}`, head)).status).toBe(200);
    // Another key of the space has its own limit, up to that of the space.
    const own = await uploaded(gateway, chatLine('one'), { key: neighbour });
    const path = `/v1/files/${own.id}/content`;
    const asOther = { authorization: `Bearer ${neighbour}` };
    expect((await fetch(`${gateway.url}${path}`, { headers: asOther })).status).toBe(200);
    const more = await gateway.admin('keys.create', { space: 'acme', name: 'third', kind: 'shared' });
    const third = await uploaded(gateway, fileForm(chatLine('line', { user: 'x'.repeat(9_000_000) })), more);
    expect(await leaveUnread(`/v1/files/${third.id}/content`, { authorization: `Bearer ${more.key}` })).toBe(
      200,
    );
    expect(await refusal(path, asOther)).toEqual(tooMany(/^The space acme has 4 downloads open/));
    // Links are counted apart.
    expect(await leaveUnread(link)).toBe(200);
    // One that has ended makes room.
    open[0]?.destroy();
    await vi.waitFor(async () => expect(await leaveUnread(path, asOther)).toBe(200), PATIENCE);
  });

  test('a linked file has a limit, and so has a network address, as the proxy reports it', async () => {
    const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });
    for (let i = 0; i < limits.downloads_per_link; i++)
      expect(await leaveUnread(link, from('198.51.100.1'))).toBe(200);
    expect(await refusal(link, from('198.51.100.2'))).toEqual(
      tooMany(/^The file of this link has 3 downloads/),
    );
    const other = await newLink();
    expect(await leaveUnread(other, from('198.51.100.1'))).toBe(200);
    expect(await refusal(other, from('198.51.100.1'))).toEqual(
      tooMany(/^Your network address has 4 downloads/),
    );
  });
});
