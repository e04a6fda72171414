/** The size limits of uploads and downloads, and the memory that an upload of the largest file needs. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatLine, filesConfig, keptOnDisk } from '../support/files-stage.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { type Installed, install } from '../support/installed-gateway.ts';
import { batchOf, sendLargeUpload } from '../support/large-upload.ts';

const LARGEST = 200_000_000;
const GROWN_MIB_MAX = 95;

let place: Installed;
let gateway: GatewayProcess;
let key: string;
beforeAll(async () => {
  place = await install('embedded', filesConfig);
  ({ key } = place);
  gateway = await startGatewayProcess(place);
});
afterAll(async () => {
  await gateway.stop();
  await place.remove();
});

const rssMib = (): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) / 1024;

test.skipIf(process.platform !== 'linux')(
  '200,000,000 bytes can be uploaded and downloaded, and the process grows by less than 100 MB',
  async () => {
    const hash = createHash('sha256');
    // A small upload first, so that what every upload allocates is not measured.
    const small = [Buffer.from(chatLine('small'))];
    await sendLargeUpload({ url: gateway.url, key, pieces: small, bytes: small[0]?.length ?? 0 });
    const before = rssMib();
    let most = before;
    const look = (): void => {
      most = Math.max(most, rssMib());
    };
    const pieces = function* () {
      for (const piece of batchOf(LARGEST)) {
        hash.update(piece);
        yield piece;
      }
    };
    const { status, body } = await sendLargeUpload({
      url: gateway.url,
      key,
      pieces: pieces(),
      bytes: LARGEST,
      onPiece: look,
    });
    look();
    expect([status, JSON.parse(body)]).toMatchObject([200, { bytes: LARGEST }]);
    const content = await fetch(
      `${gateway.url}/v1/files/${(JSON.parse(body) as { id: string }).id}/content`,
      {
        headers: { authorization: `Bearer ${key}` },
      },
    );
    const back = createHash('sha256');
    for await (const chunk of content.body as unknown as AsyncIterable<Uint8Array>) {
      back.update(chunk);
      look();
    }
    expect(back.digest('hex')).toBe(hash.digest('hex'));
    process.stderr.write(
      `files-large: grew by ${(most - before).toFixed(0)} MiB from ${before.toFixed(0)}\n`,
    );
    expect(most - before).toBeLessThan(GROWN_MIB_MAX);
  },
  // 400 MB through a machine that may be busy with something else.
  240_000,
);

test.each([
  ['declared', false],
  ['not declared', true],
])(
  '200,000,001 bytes answer 413 file_too_large when the length is %s, and leave nothing behind',
  async (_, chunked) => {
    const before = keptOnDisk(place.folder);
    const bytes = LARGEST + 1;
    const { status, body } = await sendLargeUpload({
      url: gateway.url,
      key,
      pieces: batchOf(bytes, 1_000_000),
      bytes,
      chunked,
    });
    expect([status, JSON.parse(body)]).toMatchObject([
      413,
      { type: 'file_too_large', error: { param: 'file' } },
    ]);
    expect(keptOnDisk(place.folder)).toEqual(before);
  },
);

test('a request that is too large for any allowed file is rejected before it is read', async () => {
  const { status, body } = await sendLargeUpload({ url: gateway.url, key, pieces: [], bytes: 300_000_000 });
  expect([status, JSON.parse(body)]).toMatchObject([413, { type: 'file_too_large' }]);
});
