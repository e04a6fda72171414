/** What every store of blobs promises, on a disk and in a bucket. */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Blobs, BlobsUnavailable } from '../../src/blobs/blobs.ts';
import { DiskBlobs, DiskSink } from '../../src/blobs/disk.ts';
import { S3Blobs } from '../../src/blobs/s3.ts';
import { newId } from '../../src/kernel/ids.ts';
import { pause, systemClock } from '../../src/kernel/time.ts';
import { startS3, type TestS3 } from '../support/s3.ts';

let folder: string;
let s3: TestS3;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-test-blobs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settings = () => ({ bucket: s3.bucket, region: 'us-east-1', endpoint: s3.endpoint, prefix: 'kept/' });
const stores: Array<[string, () => Blobs]> = [
  ['disk', () => new DiskBlobs(folder)],
  ['s3', () => new S3Blobs(settings())],
];
const name = (): string => newId('file', systemClock.now());
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function read(stream: Readable | null): Promise<Buffer> {
  if (stream === null) throw new Error('there is no such blob');
  return Buffer.concat(await stream.toArray());
}

async function keep(blobs: Blobs, at: string, pieces: readonly Buffer[]): Promise<void> {
  const sink = await blobs.write(at);
  for (const piece of pieces) await sink.append(piece);
  expect(await sink.commit()).toEqual({
    bytes: Buffer.concat(pieces).length,
    sha256: sha256(Buffer.concat(pieces)),
  });
}

describe.each(stores)('blobs on %s', (_, open) => {
  test.each([
    ['nothing', []],
    ['a few bytes', [Buffer.from('hello '), Buffer.from('there')]],
    ['more than one part', Array.from({ length: 10 }, () => randomBytes(1_000_000))],
    ['one piece of several parts', [randomBytes(17_000_001)]],
  ])('%s comes out as it was put in, with its size and digest', async (__, pieces) => {
    const blobs = open();
    const at = name();
    await keep(blobs, at, pieces);
    const whole = Buffer.concat(pieces);
    expect(await blobs.stat(at)).toEqual({ bytes: whole.length });
    expect(sha256(await read(await blobs.open(at)))).toBe(sha256(whole));
  });

  test('a range gives its bytes, both ends included', async () => {
    const blobs = open();
    const at = name();
    await keep(blobs, at, [Buffer.from('0123456789')]);
    expect((await read(await blobs.open(at, { start: 2, end: 4 }))).toString()).toBe('234');
    expect((await read(await blobs.open(at, { start: 9, end: 9 }))).toString()).toBe('9');
  });

  test('before it is committed nothing can be seen of a blob', async () => {
    const blobs = open();
    const at = name();
    const sink = await blobs.write(at);
    await sink.append(randomBytes(9_000_000));
    expect([await blobs.stat(at), await blobs.open(at)]).toEqual([null, null]);
    await sink.commit();
    expect(await blobs.stat(at)).toEqual({ bytes: 9_000_000 });
  });

  test.each([10, 9_000_000])(
    'an aborted blob of %i bytes was never there; to abort twice is once',
    async (bytes) => {
      const blobs = open();
      const at = name();
      const sink = await blobs.write(at);
      await sink.append(randomBytes(bytes));
      await sink.abort();
      await sink.abort();
      expect(await blobs.stat(at)).toBeNull();
    },
  );

  test('to abort after the commit changes nothing', async () => {
    const blobs = open();
    const at = name();
    const sink = await blobs.write(at);
    await sink.append(Buffer.from('kept'));
    await sink.commit();
    await sink.abort();
    expect((await read(await blobs.open(at))).toString()).toBe('kept');
  });

  test('a deleted blob is gone, and to delete what is not there is no failure', async () => {
    const blobs = open();
    const at = name();
    await keep(blobs, at, [Buffer.from('x')]);
    await blobs.delete(at);
    await blobs.delete(at);
    expect([await blobs.stat(at), await blobs.open(at)]).toEqual([null, null]);
  });

  test.each(['../../etc/passwd', 'file_../x', '', 'FILE_0123456789abc', 'file_01234567890/..'])(
    'the name %j is no name',
    async (bad) => {
      const blobs = open();
      await expect(blobs.write(bad)).rejects.toThrow(/^not a valid blob name/);
      await expect(blobs.open(bad)).rejects.toThrow(/^not a valid blob name/);
      await expect(blobs.delete(bad)).rejects.toThrow(/^not a valid blob name/);
    },
  );
});

describe('on a disk', () => {
  const files = (): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.includes('file_'));

  test('an abort leaves no file', async () => {
    const sink = await new DiskBlobs(folder).write(name());
    await sink.append(Buffer.from('x'));
    expect(files()).toHaveLength(1);
    await sink.abort();
    expect(files()).toEqual([]);
  });

  test('what a dead process was writing is removed, what a living one is writing stays', async () => {
    const blobs = new DiskBlobs(folder);
    const sink = await blobs.write(name());
    await sink.append(Buffer.from('mine'));
    const dead = spawnSync('true').pid;
    const host = hostname().replaceAll(/[^A-Za-z0-9-]/g, '-');
    const partial = join(folder, 'partial');
    writeFileSync(join(partial, `${name()}.${host}.${dead}.abcdefgh`), 'dead');
    writeFileSync(
      join(partial, `${name()}.${host}.${process.pid}.earlier1`),
      'an earlier life of this number',
    );
    writeFileSync(join(partial, `${name()}.${host}.${process.ppid}.whatever`), 'alive');
    writeFileSync(join(partial, `${name()}.elsewhere.1.whatever`), 'nobody knows');
    await blobs.removeLeftovers(0);
    expect(readdirSync(partial)).toHaveLength(3);
    await sink.commit();
  });

  test('a file that was not written to for long is removed, whichever process began it', async () => {
    const partial = join(folder, 'partial');
    mkdirSync(partial);
    const file = join(partial, `${name()}.elsewhere.1.whatever`);
    writeFileSync(file, 'x');
    utimesSync(file, 1_000, 1_000);
    await new DiskBlobs(folder).removeLeftovers(2_000_000);
    expect(existsSync(file)).toBe(false);
  });

  test('a folder that has never been written to has no leftovers', async () => {
    await new DiskBlobs(join(folder, 'none')).removeLeftovers(0);
  });

  test.skipIf(!existsSync('/dev/full'))('a full disk is BlobsUnavailable, and says so', async () => {
    const paths = { folder, partial: join(folder, 'p'), place: join(folder, 'b') };
    const sink = new DiskSink(await openFile('/dev/full', 'w'), paths);
    await expect(sink.append(Buffer.from('x'))).rejects.toThrow(BlobsUnavailable);
    await expect(sink.append(Buffer.from('x'))).rejects.toThrow('the disk is full');
    await sink.abort();
  });

  test('a folder that cannot be made is BlobsUnavailable', async () => {
    writeFileSync(join(folder, 'file'), '');
    const blobs = new DiskBlobs(join(folder, 'file', 'blobs'));
    await expect(blobs.write(name())).rejects.toThrow(BlobsUnavailable);
    await expect(blobs.stat(name())).rejects.toThrow(BlobsUnavailable);
  });
});

describe('in a bucket', () => {
  test('a large upload that is aborted is taken back at the store', async () => {
    const sink = await new S3Blobs(settings()).write(name());
    await sink.append(randomBytes(9_000_000));
    const before = s3.asked.length;
    await sink.abort();
    expect(s3.asked.slice(before)).toEqual([
      expect.stringMatching(/^DELETE \/tollgate\/kept\/file_\w+\?uploadId=/),
    ]);
  });

  test('a presigned address gives the bytes to everyone who has it, as the type it was made for', async () => {
    const blobs = new S3Blobs(settings());
    const at = name();
    await keep(blobs, at, [Buffer.from('{"a":1}\n')]);
    const address = await blobs.presign(at, {
      ...{ seconds: 60, contentType: 'application/jsonl', contentDisposition: 'inline; filename="a.jsonl"' },
    });
    const reply = await fetch(address);
    expect([reply.status, reply.headers.get('content-type'), await reply.text()]).toEqual([
      200,
      'application/jsonl',
      '{"a":1}\n',
    ]);
    expect(reply.headers.get('content-disposition')).toBe('inline; filename="a.jsonl"');
  });

  test('a store that cannot be reached is BlobsUnavailable', async () => {
    const blobs = new S3Blobs({ ...settings(), endpoint: 'http://127.0.0.1:9' });
    await expect(blobs.stat(name())).rejects.toThrow(BlobsUnavailable);
    const sink = await blobs.write(name());
    await sink.append(Buffer.from('x'));
    await expect(sink.commit()).rejects.toThrow(BlobsUnavailable);
    await sink.abort();
  });

  test('a store that does not answer is BlobsUnavailable, also within a download', async () => {
    const store = createServer((request, response) => {
      if (request.method === 'GET') response.writeHead(200, { 'content-length': 100 }).write('x'.repeat(50));
    });
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
    const blobs = new S3Blobs({ ...settings(), endpoint }, null, 200);
    await expect(blobs.stat(name())).rejects.toThrow(BlobsUnavailable);
    const sink = await blobs.write(name());
    await sink.append(Buffer.from('x'));
    await expect(sink.commit()).rejects.toThrow(BlobsUnavailable);
    await expect(read(await blobs.open(name()))).rejects.toThrow(BlobsUnavailable);
    store.closeAllConnections();
    store.close();
  });

  test('a reader that pauses for longer than the store may gets its blob', async () => {
    const at = name();
    const whole = randomBytes(5_000_000);
    await keep(new S3Blobs(settings()), at, [whole]);
    const reading = (await new S3Blobs(settings(), null, 1_000).open(at)) as Readable;
    const pieces: Buffer[] = [];
    for await (const piece of reading) {
      // Not a wait for anything: this is the pause.
      if (pieces.push(piece as Buffer) === 1) await pause(systemClock, 1_300);
    }
    expect(sha256(Buffer.concat(pieces))).toBe(sha256(whole));
  });

  test('a bucket that is not there is BlobsUnavailable, not a missing blob', async () => {
    const blobs = new S3Blobs({ ...settings(), bucket: 'nowhere' });
    await expect(blobs.open(name())).rejects.toThrow(BlobsUnavailable);
  });

  test('uploads that were begun long ago and never ended are aborted', async () => {
    const asked: string[] = [];
    const upload = (key: string, at: string): string =>
      `<Upload><Key>${key}</Key><UploadId>id-${key}</UploadId><Initiated>${at}</Initiated></Upload>`;
    const store: Server = createServer((request, response) => {
      asked.push(
        `${request.method} ${request.url?.split('?')[0]} ${/uploadId=[\w-]+/.exec(request.url ?? '')}`,
      );
      response.end(
        request.method === 'GET'
          ? `<ListMultipartUploadsResult>${upload('old', '2026-01-01T00:00:00Z')}${upload('new', '2026-01-31T12:00:00Z')}</ListMultipartUploadsResult>`
          : '',
      );
    });
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
    const { port } = store.address() as AddressInfo;
    const blobs = new S3Blobs({ ...settings(), endpoint: `http://127.0.0.1:${port}` });
    await blobs.removeLeftovers(Date.parse('2026-02-01T00:00:00Z'));
    store.close();
    expect(asked).toEqual(['GET /tollgate/ null', 'DELETE /tollgate/old uploadId=id-old']);
  });
});
