/** Links to media: everyone who has one reads the file until it ends, and nobody else learns that there is one. */

import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { S3Blobs } from '../../src/blobs/s3.ts';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { newId } from '../../src/kernel/ids.ts';
import { signReferenceUrl } from '../../src/media/media-link.ts';
import { findReference } from '../../src/media/references.store.ts';
import { LinkSigner } from '../../src/media/sign-link.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { askLink, linked, makeMedia, referenced, sampleOf, samples } from '../support/media-stage.ts';
import { PATIENCE } from '../support/patience.ts';
import { startS3 } from '../support/s3.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

interface Refusal {
  readonly type: string;
  readonly detail: string;
  readonly error: { param: string | null };
}

describe.each(engines)('media links on %s', (engine) => {
  const clock = shiftedClock();
  let gateway: TestGateway;
  const keys: Record<string, string> = {};
  let ann: string;

  beforeAll(async () => {
    gateway = await startGateway({ engine, clock });
    await gateway.admin('spaces.create', { name: 'elsewhere', overage: true });
    for (const space of ['acme', 'elsewhere'])
      await gateway.admin('members.add', { space, email: 'ann@example.com', role: 'admin' });
    for (const [name, args] of [
      ['ann-1', { space: 'acme', kind: 'personal', email: 'ann@example.com' }],
      ['ann-2', { space: 'acme', kind: 'personal', email: 'ann@example.com' }],
      ['shared', { space: 'acme', kind: 'shared' }],
      ['ann-elsewhere', { space: 'elsewhere', kind: 'personal', email: 'ann@example.com' }],
      ['shared-elsewhere', { space: 'elsewhere', kind: 'shared' }],
    ] as const)
      keys[name] = (await gateway.admin('keys.create', { name, ...args })).key;
    const [member] = await gateway.query<{ id: string }>(
      sql`select member_id as id from keys where name = 'ann-1'`,
    );
    ann = member?.id ?? '';
  });
  afterAll(() => gateway.stop());

  test('a link has the specified shape, and gives the bytes without a key', async () => {
    const { id, content, sha256 } = await makeMedia(gateway, clock);
    const before = Math.floor(clock.now() / 1000);
    const link = await linked(gateway, id);
    expect([before + 3600, before + 3601]).toContain(link.expires_at);
    expect(link).toEqual({
      media_id: id,
      url: expect.stringMatching(
        new RegExp(`^${gateway.url}/media/${id}\\?expires=\\d{10}&signature=[\\w-]{43}$`),
      ),
      expires_at: Number(new URL(link.url).searchParams.get('expires')),
      ...{ mime_type: 'video/mp4', bytes: content.length },
    });
    const reply = await fetch(link.url);
    expect([reply.status, Buffer.from(await reply.arrayBuffer()).equals(content)]).toEqual([200, true]);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      ...{ 'content-type': 'video/mp4', 'content-length': String(content.length), 'accept-ranges': 'bytes' },
      ...{ etag: `"${sha256}"`, 'cache-control': 'private', 'x-content-type-options': 'nosniff' },
      ...{ 'content-disposition': `inline; filename="${id}.mp4"`, 'content-security-policy': 'sandbox' },
    });
  });

  test.each<[unknown, number]>([
    [undefined, 3600],
    [{}, 3600],
    [{ expires_in_seconds: null }, 3600],
    [{ expires_in_seconds: 60 }, 60],
    [{ expires_in_seconds: 86_400 }, 86_400],
  ])('with the body %j it lasts %i seconds, and not one more', async (body, seconds) => {
    const { id } = await makeMedia(gateway, clock);
    const start = Math.floor(clock.now() / 1000);
    const { url, expires_at: end } = await linked(gateway, id, body);
    expect(end - start - seconds).toBeLessThanOrEqual(1);
    clock.shift(end * 1000 - clock.now() - 500);
    expect((await fetch(url)).status).toBe(200);
    clock.shift(500);
    expect((await fetch(url)).status).toBe(404);
  });

  test('an empty body that calls itself JSON, or comes in chunks, is no body', async () => {
    const { id } = await makeMedia(gateway, clock);
    expect((await askLink(gateway, id, { body: '' })).status).toBe(200);
    const reply = await new Promise<number>((resolve) => {
      const headers = { authorization: `Bearer ${gateway.key}`, 'transfer-encoding': 'chunked' };
      httpRequest(`${gateway.url}/v1/media/${id}/link`, { method: 'POST', headers }, (response) =>
        resolve(response.resume().statusCode ?? 0),
      ).end();
    });
    expect(reply).toBe(200);
  });

  test.each<[unknown, string]>([
    [{ expires_in_seconds: 59 }, 'expires_in_seconds'],
    [{ expires_in_seconds: 86_401 }, 'expires_in_seconds'],
    [{ expires_in_seconds: 60.5 }, 'expires_in_seconds'],
    [{ expires_in_seconds: '60' }, 'expires_in_seconds'],
    [{ seconds: 60 }, 'seconds'],
  ])('the body %j is invalid_parameter and names %s', async (body, param) => {
    const { id } = await makeMedia(gateway, clock);
    const reply = await askLink(gateway, id, { body });
    const { type, error } = (await reply.json()) as Refusal;
    expect([reply.status, type, error.param]).toEqual([400, 'invalid_parameter', param]);
  });

  test('only the owner in the space gets a link; for all others it is as if it never was', async () => {
    const { id } = await makeMedia(gateway, clock, { owner: ann });
    const expired = await makeMedia(gateway, clock, { owner: ann, keptMs: 1_000 });
    const pending = await makeMedia(gateway, clock, { owner: ann, status: 'pending' });
    clock.shift(1_000);
    const ask = async (name: string, key: string | undefined): Promise<[number, string, string]> => {
      const reply = await askLink(gateway, name, { key: key ?? '' });
      const { type = '', detail = '' } = (await reply.json()) as Partial<Refusal>;
      return [reply.status, type, detail.replace(JSON.stringify(name.slice(0, 100)), 'ID')];
    };
    expect((await ask(id, keys['ann-1']))[0]).toBe(200);
    expect((await ask(id, keys['ann-2']))[0]).toBe(200);
    const nothing = [
      404,
      'media_not_found',
      'The file ID does not exist, has expired, or belongs to another key.',
    ];
    for (const other of ['shared', 'ann-elsewhere', 'shared-elsewhere']) {
      expect(await ask(id, keys[other]), other).toEqual(nothing);
      expect(await ask(pending.id, keys[other]), other).toEqual(nothing);
    }
    const { file_id: reference } = await referenced(gateway, 'image/png', { key: keys['ann-1'] ?? '' });
    const never = newId('media', clock.now());
    for (const name of [expired.id, never, reference, 'media_', id.toUpperCase(), "x' or '1'='1", '\0'])
      expect(await ask(name, keys['ann-1']), name).toEqual(nothing);
  });

  test.each(['pending', 'failed'] as const)('of a file that is %s the owner hears 409', async (status) => {
    const { id, jobId } = await makeMedia(gateway, clock, { status });
    const reply = await askLink(gateway, id);
    const { type, detail } = (await reply.json()) as Refusal;
    expect([reply.status, type, reply.headers.get('x-should-retry')]).toEqual([
      ...[409, 'media_not_ready', 'false'],
    ]);
    expect(detail).toContain(status === 'pending' ? `GET /v1/jobs/${jobId}` : 'could not be generated');
  });

  test('a link that is forged, edited, too old, or whose file is gone has one answer', async () => {
    const [one, two] = [await makeMedia(gateway, clock), await makeMedia(gateway, clock)];
    const { url } = await linked(gateway, one.id);
    const gone = await linked(gateway, two.id);
    const signature = new URL(url).searchParams.get('signature') ?? '';
    const end = signature.at(-1) ?? '';
    // The last character has bits that say nothing: another one of the same bytes is still not ours.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const sameBytes = alphabet[(alphabet.indexOf(end) & ~3) | ((alphabet.indexOf(end) + 1) & 3)] ?? '';
    await gateway.query(sql`delete from media where id = ${two.id}`);
    const edited = [
      `${gateway.url}/media/${one.id}`,
      url.replace(one.id, two.id),
      url.replace(one.id, newId('media', clock.now())),
      url.replace(one.id, '..%2f..%2ftollgate.yaml'),
      url.replace(/expires=(\d)/, (_, first: string) => `expires=${(Number(first) % 9) + 1}`),
      url.replace('expires=', 'expires=0'),
      url.replace('expires=', 'expires=1'),
      url.replace(signature, randomBytes(32).toString('base64url')),
      url.replace(signature, signature.slice(0, -1)),
      `${url.slice(0, -1)}${sameBytes}`,
      `${url}A`,
      `${url}&download=1`,
      url.replace('?', '?x=1&'),
      url.replace(/\?(.*)&(.*)$/, '?$2&$1'),
      gone.url,
    ];
    const answers = new Set<string>();
    for (const address of edited) {
      const reply = await fetch(address);
      const body = ((await reply.json()) as Refusal & { error_ref: string }) ?? {};
      answers.add(`${reply.status} ${body.type} ${body.detail} ${reply.headers.get('content-type')}`);
      const head = await fetch(address, { method: 'HEAD', headers: { range: 'bytes=0-1' } });
      expect([head.status, head.headers.get('etag')], address).toEqual([404, null]);
    }
    expect([...answers]).toEqual([
      expect.stringMatching(/^404 media_not_found This link is invalid or has expired/),
    ]);
    expect((await fetch(url)).status).toBe(200);
  });

  test('there is no list of media', async () => {
    for (const path of ['/media', '/media/', '/v1/media', `/v1/media/${newId('media', clock.now())}`])
      expect((await fetch(`${gateway.url}${path}`, { headers: auth() })).status, path).toBe(404);
  });

  describe('reading', () => {
    const content = randomBytes(1_000);
    let url: string;
    let etag: string;
    beforeAll(async () => {
      const made = await makeMedia(gateway, clock, { content });
      ({ url } = await linked(gateway, made.id, { expires_in_seconds: 86_400 }));
      etag = `"${made.sha256}"`;
    });

    test.each([
      ['bytes=0-9', 0, 9],
      ['bytes=990-', 990, 999],
      ['bytes=-5', 995, 999],
      ['bytes=900-5000', 900, 999],
    ])('%s is that part, with 206', async (range, start, end) => {
      const reply = await fetch(url, { headers: { range } });
      expect([reply.status, reply.headers.get('content-range'), reply.headers.get('content-length')]).toEqual(
        [206, `bytes ${start}-${end}/1000`, String(end - start + 1)],
      );
      expect(reply.headers.get('etag')).toBe(etag);
      expect(Buffer.from(await reply.arrayBuffer()).equals(content.subarray(start, end + 1))).toBe(true);
    });

    test('a range behind the end is 416 with the length', async () => {
      const reply = await fetch(url, { headers: { range: 'bytes=1000-' } });
      expect([reply.status, reply.headers.get('content-range')]).toEqual([416, 'bytes */1000']);
      expect(((await reply.json()) as Refusal).type).toBe('range_not_satisfiable');
    });

    test.each(['bytes=0-1,4-5', 'bytes=9-1', 'rubbish'])('%s gives the whole', async (range) => {
      const reply = await fetch(url, { headers: { range } });
      expect([reply.status, (await reply.arrayBuffer()).byteLength]).toEqual([200, 1_000]);
      expect(reply.headers.get('content-range')).toBeNull();
    });

    test('a caller that has the file gets 304, and a part is given only of the same file', async () => {
      const same = await fetch(url, { headers: { 'if-none-match': etag } });
      expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, etag, '']);
      const headers = { range: 'bytes=5-6' };
      expect((await fetch(url, { headers: { ...headers, 'if-range': etag } })).status).toBe(206);
      expect((await fetch(url, { headers: { ...headers, 'if-range': '"other"' } })).status).toBe(200);
    });

    test('HEAD answers like GET, without the bytes', async () => {
      const reply = await fetch(url, { method: 'HEAD' });
      expect([reply.status, reply.headers.get('content-length'), await reply.text()]).toEqual([
        200,
        '1000',
        '',
      ]);
      expect([reply.headers.get('etag'), reply.headers.get('accept-ranges')]).toEqual([etag, 'bytes']);
    });

    test('only GET and HEAD are taken', async () => {
      for (const method of ['POST', 'PUT', 'DELETE'])
        expect((await fetch(url, { method })).status, method).toBe(405);
    });

    test('the address and its signature are in no log', async () => {
      const signature = new URL(url).searchParams.get('signature') ?? '';
      await fetch(url.replace(/expires=\d/, 'expires=9'));
      expect(gateway.logged.filter((line) => line.includes(signature))).toEqual([]);
    });
  });

  test.skipIf(process.platform !== 'linux')(
    'a reader that stops is waited for, and one that leaves closes the file',
    async () => {
      const bytes = 48 * 1024 * 1024;
      const { id } = await makeMedia(gateway, clock, { content: sampleOf('video/mp4', bytes) });
      const { pathname, search, port } = new URL((await linked(gateway, id)).url);
      const socket = connect(Number(port), '127.0.0.1').pause();
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: x\r\n\r\n`);
      await vi.waitFor(() => expect(readAt(id)).not.toBeNull(), PATIENCE);
      // A server that reads on although nobody takes it comes to the end; then the file would be closed.
      let [before, same] = [-1, 0];
      await vi.waitFor(() => {
        const at = readAt(id);
        same = at === before ? same + 1 : 0;
        before = at ?? -1;
        expect(same).toBeGreaterThan(20);
      }, PATIENCE);
      expect(before).toBeLessThan(bytes / 2);
      socket.destroy();
      await vi.waitFor(() => expect(readAt(id)).toBeNull(), PATIENCE);
      expect(gateway.logged.filter((line) => line.includes('a request broke'))).toEqual([]);
    },
  );

  test('a link ends with its file: expired media goes with its blob, and its job stays', async () => {
    const { id, jobId } = await makeMedia(gateway, clock, { keptMs: 120_000 });
    const { url, expires_at: end } = await linked(gateway, id);
    expect(end * 1000 - clock.now()).toBeLessThanOrEqual(120_000);
    const early = await makeMedia(gateway, clock);
    const stale = await linked(gateway, early.id);
    await gateway.query(sql`update media set expires_at = created_at where id = ${early.id}`);
    expect((await fetch(stale.url)).status).toBe(404);
    clock.shift(31 * DAY_MS);
    expect((await fetch(url)).status).toBe(404);
    await gateway.sweepFiles();
    expect(await gateway.query(sql`select id from media where id = ${id}`)).toEqual([]);
    expect(await gateway.query(sql`select id from video_jobs where id = ${jobId}`)).toHaveLength(1);
    expect(existsSync(join(gateway.folder, 'blobs', id))).toBe(false);
  });

  test('all processes sign with the same key, which is made once', async () => {
    await gateway.query(sql`delete from secrets`);
    const db = gateway as unknown as ConstructorParameters<typeof LinkSigner>[0]['db'];
    const signers = Array.from({ length: 4 }, () => new LinkSigner({ db, clock }));
    const first = await signers[0]?.sign('media_1', '1');
    const signed = await Promise.all(signers.map((signer) => signer.sign('media_1', '1')));
    expect(new Set([first, ...signed]).size).toBe(1);
    expect(await gateway.query(sql`select use, length(secret) as bytes from secrets`)).toEqual([
      { use: 'media-links', bytes: 32 },
    ]);
    await gateway.query(sql`delete from secrets`);
    const other = new LinkSigner({ db, clock });
    expect(await other.sign('media_1', '1')).not.toBe(signed[0]);
  });

  const auth = (): Record<string, string> => ({ authorization: `Bearer ${gateway.key}` });
});

describe('the address of a link', () => {
  test('is below public_url where that is said, whatever the request calls us', async () => {
    const clock = shiftedClock();
    const env = { TOLLGATE_PUBLIC_URL: 'https://gate.example.com' };
    const gateway = await startGateway({ env, clock });
    try {
      const { id } = await makeMedia(gateway, clock);
      const { url } = await linked(gateway, id);
      expect(url).toMatch(/^https:\/\/gate\.example\.com\/media\/media_/);
      expect((await fetch(url.replace('https://gate.example.com', gateway.url))).status).toBe(200);
      const { file_id: reference } = await referenced(gateway, 'image/png');
      const [row] = await gateway.query<{ spaceId: string }>(
        sql`select space_id as "spaceId" from reference_files where id = ${reference}`,
      );
      const db = gateway as unknown as Parameters<typeof signReferenceUrl>[2]['db'];
      const found = await findReference(db, reference, { spaceId: row?.spaceId ?? '', now: clock.now() });
      if (found === null) throw new Error('the reference is gone');
      const tools = { db, blobs: {} as never, clock, signer: new LinkSigner({ db, clock }) };
      const signed = await signReferenceUrl(found, 600, { ...tools, publicUrl: 'https://gate.example.com' });
      const address = (signed ?? '').replace('https://gate.example.com', gateway.url);
      const reply = await fetch(address);
      expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(Buffer.from(await reply.arrayBuffer())).toEqual(samples['image/png']);
      clock.shift(600_000);
      expect((await fetch(address)).status).toBe(404);
      // A provider could not find us.
      expect(await signReferenceUrl(found, 600, { ...tools, publicUrl: null })).toBeNull();
    } finally {
      await gateway.stop();
    }
  });

  test('is where we listen otherwise, and never what the request calls us', async () => {
    const clock = shiftedClock();
    const gateway = await startGateway({ clock });
    try {
      const { id } = await makeMedia(gateway, clock);
      const { port } = new URL(gateway.url);
      for (const headers of [
        { host: 'evil.example' },
        { host: 'evil.example:443', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
        { host: gateway.url, forwarded: 'host=evil.example;proto=https' },
      ]) {
        const url = await new Promise<string>((resolve, reject) => {
          const path = `/v1/media/${id}/link`;
          const authorization = `Bearer ${gateway.key}`;
          httpRequest({ port, path, method: 'POST', headers: { ...headers, authorization } }, (reply) => {
            let text = '';
            reply.on('data', (piece) => {
              text += piece;
            });
            reply.on('end', () => resolve((JSON.parse(text) as { url: string }).url));
          })
            .on('error', reject)
            .end();
        });
        expect(new URL(url).origin).toBe(gateway.url);
        expect((await fetch(url)).status).toBe(200);
      }
    } finally {
      await gateway.stop();
    }
  });

  test('is one of the bucket where files are in a bucket, and takes ranges there', async () => {
    const s3 = await startS3();
    const env = { S3_BUCKET: s3.bucket, S3_ENDPOINT: s3.endpoint, S3_PREFIX: 'kept/' };
    const clock = shiftedClock();
    const gateway = await startGateway({ env, clock });
    try {
      const { id, content } = await makeMedia(gateway, clock);
      const settings = { bucket: s3.bucket, region: 'us-east-1', endpoint: s3.endpoint, prefix: 'kept/' };
      const blobs = new S3Blobs(settings);
      const sink = await blobs.write(id);
      await sink.append(content);
      await sink.commit();
      const { url, ...rest } = await linked(gateway, id, { expires_in_seconds: 60 });
      expect(url.startsWith(`${s3.endpoint}/${s3.bucket}/kept/${id}?`)).toBe(true);
      expect(rest).toMatchObject({ bytes: content.length, mime_type: 'video/mp4' });
      expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('60');
      const reply = await fetch(url);
      expect([
        reply.status,
        reply.headers.get('content-type'),
        reply.headers.get('content-disposition'),
      ]).toEqual([200, 'video/mp4', `inline; filename="${id}.mp4"`]);
      expect(Buffer.from(await reply.arrayBuffer()).equals(content)).toBe(true);
      const part = await fetch(url, { headers: { range: 'bytes=10-19' } });
      expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, content.subarray(10, 20)]);
      // The stand-in looks at the time alone; a real one at the signature too.
      const old = await fetch(url.replace(/X-Amz-Date=\d{4}/, 'X-Amz-Date=2020'));
      expect(old.status).toBe(403);
    } finally {
      await gateway.stop();
      await s3.stop();
    }
  });
});

/** How far this process has read the file of a blob; null when it has not opened it. */
function readAt(id: string): number | null {
  for (const fd of readdirSync('/proc/self/fd')) {
    try {
      if (!readlinkSync(`/proc/self/fd/${fd}`).endsWith(`/blobs/${id}`)) continue;
      return Number(/^pos:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1]);
    } catch {
      // It was closed meanwhile.
    }
  }
  return null;
}
