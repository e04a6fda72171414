/** Sends a form with a file of any size, made as it is sent. */
import { once } from 'node:events';
import { request } from 'node:http';
import { type Agent, request as requestWithTls } from 'node:https';

export interface LargeUpload {
  readonly url: string;
  readonly key: string;
  /** The bytes of the file. */
  readonly pieces: Iterable<Buffer>;
  readonly bytes: number;
  /** Without it the request says how long it is. */
  readonly chunked?: boolean;
  readonly onPiece?: () => void;
  /** For an https address. */
  readonly agent?: Agent;
}

export async function sendLargeUpload(upload: LargeUpload): Promise<{ status: number; body: string }> {
  const head = Buffer.from(
    '--b\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n' +
      '--b\r\nContent-Disposition: form-data; name="file"; filename="large.jsonl"\r\n\r\n',
  );
  const tail = Buffer.from('\r\n--b--\r\n');
  const { agent } = upload;
  const sent = (agent === undefined ? request : requestWithTls)(`${upload.url}/v1/files`, {
    method: 'POST',
    ...(agent && { agent }),
    headers: {
      authorization: `Bearer ${upload.key}`,
      'content-type': 'multipart/form-data; boundary=b',
      ...(!upload.chunked && { 'content-length': String(head.length + upload.bytes + tail.length) }),
    },
  });
  const answered = once(sent, 'response');
  // An answer may come before everything was sent; then the rest does not matter.
  let over = false;
  void answered.then(
    () => {
      over = true;
    },
    () => undefined,
  );
  sent.write(head);
  for (const piece of upload.pieces) {
    if (over) break;
    upload.onPiece?.();
    if (!sent.write(piece)) await Promise.race([once(sent, 'drain'), answered]);
  }
  sent.end(tail);
  const [response] = (await answered) as [import('node:http').IncomingMessage];
  const body = Buffer.concat(await response.toArray()).toString();
  sent.destroy();
  return { status: response.statusCode ?? 0, body };
}

/** Lines of a batch that are so many bytes together, in pieces of about 256 KiB. Each has a name of its own. */
export function* batchOf(bytes: number, lineBytes = 10_000): Generator<Buffer> {
  const line = (id: number, length: number): string => {
    const bare = JSON.stringify({
      custom_id: `row-${id}`,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'sim-chat', service_tier: 'default', messages: [{ role: 'user', content: '' }] },
    });
    return `${bare.replace('"content":""', `"content":"${'word '.repeat(length).slice(0, length - bare.length - 1)}"`)}\n`;
  };
  let left = bytes;
  let held = '';
  for (let id = 0; left > 0; id++) {
    // The last line takes what is left, so that the sum is exact.
    const length = left < 2 * lineBytes ? left : lineBytes;
    held += line(id, length);
    left -= length;
    if (held.length >= 256 * 1024 || left === 0) {
      yield Buffer.from(held);
      held = '';
    }
  }
}
