/** `tollgate references upload` and `tollgate media get`, as a user types them. */

import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { testConfig } from '../support/config.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { keptMedia, makeMedia, sampleOf, samples } from '../support/media-stage.ts';
import { type Ran, runCli } from '../support/run-cli.ts';

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway();
  folder = mkdtempSync(join(tmpdir(), 'tollgate-media-'));
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: string[], url = gateway.url): Promise<Ran> =>
  runCli([...args, '--url', url], { env: { TOLLGATE_KEY: gateway.key }, cwd: folder });
const write = (name: string, bytes: Buffer): string => {
  writeFileSync(join(folder, name), bytes);
  return name;
};
const typeOfReference = async (reference: string): Promise<unknown> => {
  const id = reference.trim().replace(/^svc-\w+:\/\//, '');
  return (await gateway.query(sql`select mime_type, track, bytes from reference_files where id = ${id}`))[0];
};

test('an upload prints only its reference, and its type is detected from its bytes, not from its name', async () => {
  const file = write('lying.png', sampleOf('video/mp4', 200_000));
  const { code, stdout, stderr } = await run(['references', 'upload', file]);
  expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^svc-file:\/\/ref_[0-9a-z]{26}\n$/), '']);
  expect(await typeOfReference(stdout)).toEqual({ mime_type: 'video/mp4', track: 'file', bytes: 200_000 });
});

test('--track managed and --json do what they say', async () => {
  const file = write('a "quoted" näme.gif', samples['image/gif'] ?? Buffer.alloc(0));
  const { code, stdout } = await run(['references', 'upload', file, '--track', 'managed', '--json']);
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      file_id: expect.any(String),
      reference: expect.stringMatching(/^svc-asset:/),
      bytes: 10,
      track: 'managed',
    },
  ]);
});

test.each<[string, string[], RegExp]>([
  ['is not there', ['nowhere.png'], /nowhere\.png cannot be read \(ENOENT\)/],
  ['is a folder', ['.'], /\. is not a file/],
  ['is a text', ['text.txt'], /not a supported image, video or audio file.*--type/],
  [
    'is called something else',
    ['text.txt', '--type', 'image/png'],
    /sent as image\/png.*REFERENCE_UPLOAD_REJECTED, req_/,
  ],
  [
    'has a type that is not accepted',
    ['text.txt', '--type', 'text/plain'],
    /"text\/plain".*REFERENCE_UPLOAD/,
  ],
  ['is for another track', ['small.png', '--track', 'other'], /track must be file or managed/],
  ['is too large', ['large.png'], /large\.png is larger than 30 MiB, the limit for image files/],
])('a file that %s is rejected with a sentence, and nothing is kept', async (_, args, words) => {
  write('text.txt', Buffer.from('hello'));
  write('small.png', samples['image/png'] ?? Buffer.alloc(0));
  truncateSync(join(folder, write('large.png', samples['image/png'] ?? Buffer.alloc(0))), 30 * 1_048_576 + 1);
  const before = await keptMedia(gateway);
  const { code, stdout, stderr } = await run(['references', 'upload', ...args]);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(words)]);
  expect(await keptMedia(gateway)).toEqual(before);
});

test('a download over a connection that breaks repeatedly is complete and verified', async () => {
  const content = randomBytes(7_000_000);
  let behind: TestGateway | null = null;
  // Every connection is cut after two million bytes.
  const proxy = await startCuttingProxy(() => (behind ?? gateway).url, {
    random: () => 0.4,
    bytesMax: 5_000_000,
    msMax: 120_000,
  });
  try {
    // Links lead through the proxy only where it is the public address.
    behind = await startGateway({ config: testConfig({ server: { public_url: proxy.url } }) });
    const { id, sha256 } = await makeMedia(behind, systemClock, { content });
    const { code, stdout, stderr } = await runCli(['media', 'get', id, '--json', '--url', proxy.url], {
      env: { TOLLGATE_KEY: behind.key },
      cwd: folder,
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({ file: `${id}.mp4`, bytes: content.length, sha256, checked: true });
    expect(readFileSync(join(folder, `${id}.mp4`)).equals(content)).toBe(true);
    expect(proxy.cuts).toBeGreaterThanOrEqual(3);
  } finally {
    await behind?.stop();
    await proxy.stop();
  }
});

test('an existing file is not overwritten without --force; "-" is standard output', async () => {
  const { id, content } = await makeMedia(gateway, systemClock, { content: Buffer.from('a film') });
  const file = write('there.mp4', Buffer.from('mine'));
  const refused = await run(['media', 'get', id, '-o', file]);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('there.mp4 already exists; overwrite it with --force'),
  ]);
  expect(readFileSync(join(folder, file), 'utf8')).toBe('mine');
  expect((await run(['media', 'get', id, '-o', file, '--force'])).code).toBe(0);
  expect(readFileSync(join(folder, file), 'utf8')).toBe('a film');
  expect((await run(['media', 'get', id, '-o', '-'])).stdout).toBe(content.toString());
});

test('a damaged download is not kept', async () => {
  const { id } = await makeMedia(gateway, systemClock, { content: Buffer.from('a film') });
  writeFileSync(join(gateway.folder, 'blobs', id), 'a flim');
  const { code, stderr } = await run(['media', 'get', id]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('checksum differs')]);
  expect(existsSync(join(folder, `${id}.mp4`))).toBe(false);
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('a file that does not exist or is not ready is reported with a sentence', async () => {
  const { id } = await makeMedia(gateway, systemClock, { status: 'pending' });
  expect((await run(['media', 'get', id])).stderr).toMatch(/still being generated.*media_not_ready/);
  expect((await run(['media', 'get', 'media_x'])).stderr).toMatch(
    /The file "media_x" does not exist.*media_not_found/,
  );
});
