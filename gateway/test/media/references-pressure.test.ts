/** An upload is read no further than its store takes it, so that many at once hold little. */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EdgeRequest } from '../../src/edge/edge-request.ts';
import { ReferenceFormReader } from '../../src/http/read-reference-form.ts';
import { startEdge, type TestEdge } from '../support/edge.ts';

const UPLOADS = 8;
const FILE_BYTES = 8 * 1024 * 1024;
/** Of one upload: what is read at once, a few times over. */
const AHEAD_BYTES_MAX = 256 * 1024;

/** A store that is slower than the line: everything else may run before it takes more. */
class SlowStore {
  static most = 0;
  static taken = 0;
  readonly #request: EdgeRequest;
  #bytes = 0;
  #busy = false;

  constructor(from: EdgeRequest) {
    this.#request = from;
  }

  async append(bytes: Buffer): Promise<void> {
    expect(this.#busy, 'one piece at a time').toBe(false);
    this.#busy = true;
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    SlowStore.most = Math.max(SlowStore.most, this.#request.socket.bytesRead - this.#bytes);
    this.#bytes += bytes.length;
    SlowStore.taken += bytes.length;
    this.#busy = false;
  }

  async abort(): Promise<void> {}
}

let edge: TestEdge;
beforeAll(async () => {
  edge = await startEdge((from, response) => {
    void new ReferenceFormReader(() => new SlowStore(from)).read(from).then(
      () => response.end('taken'),
      (error: Error) => response.writeHead(500, {}).end(error.message),
    );
  });
});
afterAll(() => edge.server.stop());

test('with a slow store, no upload is more than 256 KiB ahead of it', async () => {
  const { port } = edge;
  const content = Buffer.alloc(FILE_BYTES, 7);
  const send = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'multipart/form-data; boundary=b' };
      const sent = request({ port, method: 'POST', headers }, (reply) => {
        reply.toArray().then((pieces) => resolve(Buffer.concat(pieces).toString()), reject);
      });
      sent.on('error', reject);
      sent.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
      sent.write(content);
      sent.end('\r\n--b--\r\n');
    });
  expect(await Promise.all(Array.from({ length: UPLOADS }, send))).toEqual(Array(UPLOADS).fill('taken'));
  expect(SlowStore.taken).toBe(UPLOADS * FILE_BYTES);
  expect(SlowStore.most).toBeLessThanOrEqual(AHEAD_BYTES_MAX);
});
