/** References: what is uploaded is what it says it is, and what is refused leaves nothing behind. */

import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { backgroundPrincipal } from '../../src/access/principal.ts';
import { expiringBlobs } from '../../src/app/expiring-blobs.ts';
import { BlobKeeper, WRITER_SILENT_MS } from '../../src/blobs/blob-keeper.ts';
import type { Blobs } from '../../src/blobs/blobs.ts';
import { DiskSink } from '../../src/blobs/disk.ts';
import { REFERENCE_BYTES_MAX, referenceKinds } from '../../src/contract/reference-kinds.ts';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { MIB } from '../../src/kernel/bytes.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { allowedMimeTypes, formatNamed } from '../../src/media/media-format.ts';
import { findReference, REFERENCE_MS, touchReference } from '../../src/media/references.store.ts';
import { NewReference } from '../../src/media/upload-reference.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { engines, oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import {
  type KeptMedia,
  keptMedia,
  referenced,
  referenceForm,
  sampleOf,
  samples,
  sendReference,
} from '../support/media-stage.ts';
import { PATIENCE } from '../support/patience.ts';
import { startS3 } from '../support/s3.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

interface Refusal {
  readonly type: string;
  readonly detail: string;
  readonly error_ref: string;
  readonly error: { code: string; message: string; param: string | null };
}

interface Invalid {
  readonly detail: Array<{ loc: string[]; msg: string; type: string }>;
  readonly error_ref: string;
}

/** An image that is mostly zeros, written piece by piece; resolves with the answer, whenever it comes. */
async function sendLargeImage(
  gateway: TestGateway,
  { bytes, chunked }: { bytes: number; chunked: boolean },
): Promise<{ status: number; body: Refusal }> {
  const head = Buffer.concat([
    Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n'),
    Buffer.from('content-type: image/png\r\n\r\n'),
  ]);
  const end = Buffer.from('\r\n--b--\r\n');
  const outgoing = request(`${gateway.url}/v1/references`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.key}`,
      'content-type': 'multipart/form-data; boundary=b',
      ...(!chunked && { 'content-length': head.length + bytes + end.length }),
    },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
  });
  const pieces = function* (): Generator<Buffer> {
    yield Buffer.concat([head, sampleOf('image/png', MIB)]);
    const piece = Buffer.alloc(MIB);
    for (let left = bytes - MIB; left > 0; left -= MIB) yield left >= MIB ? piece : piece.subarray(0, left);
    yield end;
  };
  // A refusal may come before the last piece is written.
  Readable.from(pieces()).pipe(outgoing);
  const answer = await answered;
  const body = JSON.parse(Buffer.concat(await answer.toArray()).toString('utf8')) as Refusal;
  outgoing.destroy();
  return { status: answer.statusCode ?? 0, body };
}

describe.each(engines)('references on %s', (engine) => {
  const clock = shiftedClock();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, clock });
  });
  afterAll(() => gateway.stop());

  const refused = async (reply: Response): Promise<[number, string, Refusal]> => {
    const body = (await reply.json()) as Refusal;
    return [reply.status, body.error.code, body];
  };
  const unchanged = async (work: () => Promise<void>): Promise<void> => {
    const before: KeptMedia = await keptMedia(gateway);
    await work();
    expect(await keptMedia(gateway)).toEqual(before);
  };

  /** An upload to a store of the test's own. */
  const newUpload = (blobs: Blobs, mimeType: string): NewReference => {
    const db = gateway as unknown as Database;
    const keeper = new BlobKeeper({
      db,
      blobs,
      clock,
      log: createLog({ level: 'silent' }),
      expiring: expiringBlobs,
    });
    const principal = backgroundPrincipal({ keyId: 'k', spaceId: 's', spaceName: 's', memberId: null });
    return new NewReference(
      { principal, track: 'file', mimeType, requestBytes: null },
      { db, keeper, clock },
    );
  };

  test('an upload has the specified shape, and is kept byte for byte for the space of the key', async () => {
    const content = sampleOf('video/mp4', 300_000);
    const reply = await sendReference(gateway, referenceForm(content, { type: 'video/mp4' }));
    const { file_id: id, ...rest } = (await reply.json()) as { file_id: string };
    expect([reply.status, id, rest]).toEqual([
      200,
      expect.stringMatching(/^ref_[0-9a-z]{26}$/),
      { reference: `svc-file://${id}`, bytes: 300_000, track: 'file' },
    ]);
    expect(readFileSync(join(gateway.folder, 'blobs', id)).equals(content)).toBe(true);
    const [row] = await gateway.query(sql`
      select track, r.kind, mime_type, bytes, sha256, k.name, r.space_id = k.space_id as same_space,
        extract(epoch from r.expires_at - r.created_at) / 86400 = 30 as month
      from reference_files r join keys k on k.id = r.owner where r.id = ${id}`);
    expect(row).toEqual({
      ...{ track: 'file', kind: 'video', mime_type: 'video/mp4', bytes: 300_000, name: 'test' },
      ...{ sha256: createHash('sha256').update(content).digest('hex'), same_space: true, month: true },
    });
  });

  test('track=managed gives a reference of its own scheme, and track=file is the default', async () => {
    const managed = await referenced(gateway, 'image/png', { query: '?track=managed' });
    expect(managed).toMatchObject({ track: 'managed', reference: `svc-asset://${managed.file_id}` });
    const file = await referenced(gateway, 'image/png', { query: '?track=file' });
    expect(file).toMatchObject({ track: 'file', reference: `svc-file://${file.file_id}` });
  });

  test.each(allowedMimeTypes)('%s is taken, and kept under the name of its format', async (mimeType) => {
    const name = formatNamed(mimeType)?.mimeType ?? '';
    const form = referenceForm(samples[name] ?? Buffer.alloc(0), { type: mimeType });
    const reply = await sendReference(gateway, form);
    expect(reply.status).toBe(200);
    const { file_id: id } = (await reply.json()) as { file_id: string };
    const [row] = await gateway.query(sql`select mime_type, kind from reference_files where id = ${id}`);
    expect(row).toEqual({ mime_type: name, kind: name.split('/')[0] });
  });

  test('the type may carry parameters and capitals; HEIC and HEIF go by either name, and are kept as what they are', async () => {
    for (const [type, sample] of [
      ['Image/PNG; charset=binary', 'image/png'],
      ['image/heif', 'image/heic'],
      ['image/heic', 'image/heif'],
    ] as const) {
      const body = rawForm([{ name: 'file', filename: 'a', type, content: samples[sample] ?? '' }]);
      const reply = await sendReference(gateway, body.bytes, { headers: body.headers });
      expect(reply.status, type).toBe(200);
      const { file_id: id } = (await reply.json()) as { file_id: string };
      const [row] = await gateway.query(sql`select mime_type from reference_files where id = ${id}`);
      expect(row).toEqual({ mime_type: sample });
    }
  });

  // What is wrong with a request is found before the database is asked. The tests below leave nothing on both engines.
  if (oneEngine('postgres', 'rejected requests').includes(engine)) {
    describe('is refused as REFERENCE_UPLOAD_REJECTED and leaves nothing:', () => {
      test.each<[string, string | null, Buffer<ArrayBuffer>, RegExp]>([
        [
          'a type that is not listed',
          'image/svg+xml',
          Buffer.from('<svg/>'),
          /"image\/svg\+xml".*image\/png/,
        ],
        ['no type at all', null, samples['image/png'] ?? Buffer.alloc(0), /no Content-Type.*type=image\/png/],
        ['bytes of no type', 'application/octet-stream', sampleOf('image/png', 50), /octet-stream/],
        ['an empty file', 'image/png', Buffer.alloc(0), /The file is empty/],
        [
          'a text that is called a picture',
          'image/png',
          Buffer.from('hello'),
          /sent as image\/png.*not a supported image/,
        ],
        ['a picture of another format', 'image/png', sampleOf('image/jpeg', 900), /image\/jpeg. Send it as/],
        ['a sound that is called a film', 'video/mp4', sampleOf('audio/mpeg', 900), /are audio\/mpeg/],
        ['a film of another format', 'video/mp4', sampleOf('video/quicktime', 900), /are video\/quicktime/],
        [
          'a page that is called a picture',
          'image/gif',
          Buffer.from('<script>'.repeat(200)),
          /not a supported image/,
        ],
      ])('%s', async (_, type, content, words) => {
        await unchanged(async () => {
          const body = rawForm([{ name: 'file', filename: 'picture.png', type, content }]);
          const reply = await sendReference(gateway, body.bytes, { headers: body.headers });
          const [status, code, refusal] = await refused(reply);
          expect([status, code, refusal.type, refusal.error.param]).toEqual([
            ...[400, 'REFERENCE_UPLOAD_REJECTED', 'REFERENCE_UPLOAD_REJECTED', 'file'],
          ]);
          expect(refusal.detail).toMatch(words);
          expect([refusal.error.message, refusal.error_ref]).toEqual([
            refusal.detail,
            reply.headers.get('x-request-id'),
          ]);
        });
      });
    });

    test.each([
      ['image', 'image/png'],
      ['audio', 'audio/wav'],
    ] as const)('a file of kind %s may have its cap and not a byte more', async (kind, type) => {
      const { bytesMax } = referenceKinds[kind];
      const taken = await sendReference(gateway, referenceForm(sampleOf(type, bytesMax), { type }));
      expect([taken.status, ((await taken.json()) as { bytes: number }).bytes]).toEqual([200, bytesMax]);
      await unchanged(async () => {
        const form = referenceForm(sampleOf(type, bytesMax + 1), { type });
        const [status, code, { detail }] = await refused(await sendReference(gateway, form));
        expect([status, code]).toEqual([400, 'REFERENCE_UPLOAD_REJECTED']);
        expect(detail).toContain(`${bytesMax / MIB} MiB`);
      });
    });

    test('a request that announces more than 200 MiB is 413 before it is read, whatever it would hold', async () => {
      await unchanged(async () => {
        const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
        const length = REFERENCE_BYTES_MAX + 70_000;
        socket.write(
          `POST /v1/references HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\n` +
            `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${length}\r\n\r\n`,
        );
        const reply = await new Promise<string>((resolve) =>
          socket.once('data', (data) => resolve(`${data}`)),
        );
        socket.destroy();
        expect(reply).toContain('HTTP/1.1 413');
        expect(reply).toContain('"code":"REFERENCE_TOO_LARGE"');
      });
    });

    test.each([
      ['an image of 200 MiB and a byte, sent in chunks, is 413', REFERENCE_BYTES_MAX + 1, true, 413],
      ['the same with its Content-Length is 413', REFERENCE_BYTES_MAX + 1, false, 413],
      ['an image of 200 MiB, sent in chunks, is 400 for its kind', REFERENCE_BYTES_MAX, true, 400],
    ] as const)('%s, and nothing is left', async (_, bytes, chunked, status) => {
      await unchanged(async () => {
        const reply = await sendLargeImage(gateway, { bytes, chunked });
        const code = status === 413 ? 'REFERENCE_TOO_LARGE' : 'REFERENCE_UPLOAD_REJECTED';
        expect([reply.status, reply.body.error.code]).toEqual([status, code]);
      });
    });

    describe('a request that is none is 422 and leaves nothing:', () => {
      const png = { name: 'file', filename: 'a.png', type: 'image/png', content: samples['image/png'] ?? '' };
      test.each<[string, string, readonly RawPart[], string[], string]>([
        ['another track', '?track=other', [png], ['query', 'track'], 'enum'],
        ['an empty track', '?track=', [png], ['query', 'track'], 'enum'],
        ['two tracks', '?track=file&track=managed', [png], ['query', 'track'], 'value_error'],
        ['another parameter', '?space_id=x', [png], ['query', 'space_id'], 'extra_forbidden'],
        ['no part at all', '', [], ['body', 'file'], 'missing'],
        ['no file among the parts', '', [{ ...png, name: 'image' }], ['body', 'file'], 'missing'],
        ['no file chosen', '', [{ ...png, filename: '' }], ['body', 'file'], 'missing'],
        [
          'a path in place of a file',
          '',
          [{ name: 'file', content: 'a.png' }],
          ['body', 'file'],
          'value_error',
        ],
        ['two files', '', [png, png], ['body', 'file'], 'value_error'],
        [
          'a track in the form',
          '',
          [{ name: 'track', content: 'managed' }, png],
          ['body', 'track'],
          'value_error',
        ],
        [
          'much beside the file',
          '',
          [png, { name: 'x', content: 'x'.repeat(70_000) }],
          ['body', 'file'],
          'value_error',
        ],
      ])('%s', async (_, query, parts, loc, type) => {
        await unchanged(async () => {
          const body = rawForm(parts);
          const reply = await sendReference(gateway, body.bytes, { query, headers: body.headers });
          const { detail, error_ref: ref } = (await reply.json()) as Invalid;
          expect([reply.status, detail]).toEqual([422, [{ loc, msg: expect.any(String), type }]]);
          expect(ref).toBe(reply.headers.get('x-request-id'));
        });
      });
    });
  }

  test('other parts may stand before and behind the file', async () => {
    const file = { name: 'file', filename: 'a.gif', type: 'image/gif', content: samples['image/gif'] ?? '' };
    const body = rawForm([{ name: 'note', content: 'x' }, file, { name: 'more', content: '' }]);
    const reply = await sendReference(gateway, body.bytes, { headers: body.headers });
    expect([reply.status, ((await reply.json()) as { bytes: number }).bytes]).toEqual([200, 10]);
  });

  test('a body that is no form is 415, and one without end is refused; neither leaves anything', async () => {
    await unchanged(async () => {
      const json = await sendReference(gateway, '{}', { headers: { 'content-type': 'application/json' } });
      expect((await refused(json)).slice(0, 2)).toEqual([415, 'unsupported_media_type']);
      const whole = rawForm([
        { name: 'file', filename: 'a', type: 'image/png', content: sampleOf('image/png', 2_000) },
      ]);
      const cut = whole.bytes.subarray(0, whole.bytes.length - 20);
      const reply = await sendReference(gateway, cut, { headers: whole.headers });
      expect((await refused(reply)).slice(0, 2)).toEqual([400, 'invalid_parameter']);
    });
  });

  test('an upload that is cut in the middle leaves nothing', async () => {
    const before = await keptMedia(gateway);
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    const { bytes } = rawForm([
      { name: 'file', filename: 'a', type: 'image/png', content: sampleOf('image/png', 5_000) },
    ]);
    socket.write(
      `POST /v1/references HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\n` +
        `content-type: multipart/form-data; boundary=b\r\ncontent-length: 100000\r\n\r\n`,
    );
    socket.write(bytes.subarray(0, 4_000));
    await vi.waitFor(
      async () => expect(await keptMedia(gateway)).toEqual({ ...before, partial: 1, pending: 1 }),
      PATIENCE,
    );
    socket.destroy();
    await vi.waitFor(async () => expect(await keptMedia(gateway)).toEqual(before), PATIENCE);
  });

  test('a key is needed, and it must be a gateway key', async () => {
    const { key } = await gateway.admin('keys.create', { name: 'mk', kind: 'management' });
    const form = referenceForm(samples['image/png'] ?? Buffer.alloc(0));
    expect((await sendReference(gateway, form, { key })).status).toBe(401);
    expect((await fetch(`${gateway.url}/v1/references`, { method: 'POST', body: form })).status).toBe(401);
  });

  test('there is no way to read a reference with a key, and none to delete it', async () => {
    const { file_id: id } = await referenced(gateway);
    const headers = { authorization: `Bearer ${gateway.key}` };
    for (const method of ['GET', 'DELETE'])
      expect((await fetch(`${gateway.url}/v1/references/${id}`, { method, headers })).status).toBe(404);
    expect((await fetch(`${gateway.url}/v1/files/${id}`, { headers })).status).toBe(404);
  });

  test('a store that is away is 503 REFERENCE_UPLOAD_UNAVAILABLE, to be tried again', async () => {
    const blobs = join(gateway.folder, 'blobs');
    await unchanged(async () => {
      renameSync(blobs, `${blobs}-away`);
      writeFileSync(blobs, 'not a folder');
      try {
        const reply = await sendReference(gateway, referenceForm(sampleOf('image/png', 2_000)));
        expect((await refused(reply)).slice(0, 2)).toEqual([503, 'REFERENCE_UPLOAD_UNAVAILABLE']);
        expect(reply.headers.get('x-should-retry')).toBe('true');
      } finally {
        renameSync(`${blobs}-away`, `${blobs}-back`);
        renameSync(blobs, `${blobs}-file`);
        renameSync(`${blobs}-back`, blobs);
      }
    });
    await referenced(gateway);
  });

  test('one that is not used is gone after 30 days, and its blob with it', async () => {
    clock.shift(31 * DAY_MS);
    await gateway.sweepFiles();
    const { file_id: id } = await referenced(gateway);
    clock.shift(REFERENCE_MS - 60_000);
    await gateway.sweepFiles();
    expect(await keptMedia(gateway)).toMatchObject({ references: 1, blobs: 1 });
    clock.shift(60_001);
    await gateway.sweepFiles();
    expect(await keptMedia(gateway)).toEqual({ references: 0, media: 0, blobs: 0, partial: 0, pending: 0 });
    expect(await gateway.query(sql`select id from reference_files where id = ${id}`)).toEqual([]);
  });

  test('a blob whose upload died is deleted when its writer has been silent for long', async () => {
    const lease = new Date(clock.now() + WRITER_SILENT_MS).toISOString();
    writeFileSync(join(gateway.folder, 'blobs/ref_00000000000000000000000000'), 'never adopted');
    await gateway.query(
      sql`insert into pending_blobs (name, lease_until) values ('ref_00000000000000000000000000', ${lease})`,
    );
    clock.shift(WRITER_SILENT_MS);
    await gateway.sweepFiles();
    expect(await keptMedia(gateway)).toMatchObject({ blobs: 0, pending: 0 });
  });

  test('use moves the end to 30 days from then, at most once a day, and brings nothing back', async () => {
    const { file_id: id } = await referenced(gateway);
    const [at] = await gateway.query<{ spaceId: string; start: number }>(sql`
      select space_id as "spaceId", created_at as start from reference_files where id = ${id}`);
    const { spaceId, start } = at as { spaceId: string; start: number };
    const use = async (now: number): Promise<number | null> => {
      const found = await findReference(gateway, id, { spaceId, now });
      if (found === null) return null;
      await touchReference(gateway, found, now);
      return (await findReference(gateway, id, { spaceId, now }))?.expiresAt ?? null;
    };
    expect(await use(start + DAY_MS - 1)).toBe(start + REFERENCE_MS);
    expect(await use(start + DAY_MS)).toBe(start + DAY_MS + REFERENCE_MS);
    expect(await use(start + 1.5 * DAY_MS)).toBe(start + DAY_MS + REFERENCE_MS);
    expect(await findReference(gateway, id, { spaceId: 'spc_other', now: start })).toBeNull();
    const late = start + DAY_MS + REFERENCE_MS;
    expect(await use(late)).toBeNull();
    await touchReference(gateway, { id, expiresAt: start }, late);
    expect(await use(late)).toBeNull();
  });

  test('a film may have 200 MiB; with the first byte more it is 413, and nothing is left', async () => {
    await unchanged(async () => {
      const nowhere = { append: async () => undefined, abort: async () => undefined, committed: false };
      const upload = newUpload({ write: async () => nowhere } as unknown as Blobs, 'video/mp4');
      await upload.append(sampleOf('video/mp4', MIB));
      const piece = Buffer.alloc(MIB);
      for (let mib = 1; mib < REFERENCE_BYTES_MAX / MIB; mib++) await upload.append(piece);
      await expect(upload.append(Buffer.alloc(1))).rejects.toMatchObject({ code: 'REFERENCE_TOO_LARGE' });
      await upload.abort();
    });
  });

  test('a disk that is full is 503 REFERENCE_UPLOAD_UNAVAILABLE, and nothing is left', async () => {
    await unchanged(async () => {
      const { folder } = gateway;
      const paths = { folder, partial: join(folder, 'x'), place: join(folder, 'y') };
      const blobs = {
        write: async () => new DiskSink(await open('/dev/full', 'w'), paths),
      } as unknown as Blobs;
      const upload = newUpload(blobs, 'image/png');
      await expect(upload.append(sampleOf('image/png', 600))).rejects.toMatchObject({
        code: 'REFERENCE_UPLOAD_UNAVAILABLE',
      });
      await upload.abort();
    });
  });
});

test('references are kept in a bucket too, and one that is away is 503', async () => {
  const s3 = await startS3();
  const env = { S3_BUCKET: s3.bucket, S3_ENDPOINT: s3.endpoint };
  const gateway = await startGateway({ env });
  try {
    const content = sampleOf('video/mp4', 9 * MIB);
    const reply = await sendReference(gateway, referenceForm(content, { type: 'video/mp4' }));
    const { file_id: id, bytes } = (await reply.json()) as { file_id: string; bytes: number };
    expect([reply.status, bytes]).toEqual([200, content.length]);
    expect(s3.asked.some((asked) => asked.startsWith(`PUT /${s3.bucket}/${id}`))).toBe(true);
    const asked = s3.asked.length;
    const twice = referenceForm(content, { type: 'video/mp4' });
    twice.append('file', new Blob(['x'], { type: 'video/mp4' }), 'second');
    expect((await sendReference(gateway, twice)).status).toBe(422);
    expect(s3.asked.slice(asked).at(-1)).toMatch(/^DELETE .*uploadId=/);
    await s3.stop();
    const away = await sendReference(gateway, referenceForm(samples['image/png'] ?? Buffer.alloc(0)));
    expect([away.status, ((await away.json()) as Refusal).error.code]).toEqual([
      503,
      'REFERENCE_UPLOAD_UNAVAILABLE',
    ]);
  } finally {
    await gateway.stop();
  }
});

interface RawPart {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string | null;
  readonly content: string | Buffer;
}

/** A form as a client that knows no better writes it. */
function rawForm(parts: readonly RawPart[]): { bytes: Buffer<ArrayBuffer>; headers: Record<string, string> } {
  const pieces = parts.flatMap(({ name, filename, type, content }) => [
    Buffer.from(
      `--b\r\nContent-Disposition: form-data; name="${name}"` +
        (filename === undefined ? '' : `; filename="${filename}"`) +
        (type === undefined || type === null ? '' : `\r\nContent-Type: ${type}`) +
        '\r\n\r\n',
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  return { bytes: Buffer.concat([...pieces, Buffer.from('--b--\r\n')]), headers };
}
