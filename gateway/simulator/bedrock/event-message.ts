/** Writes the messages of an AWS event stream, as byte strings: frames are texts here. */
import { crc32 } from 'node:zlib';
import type { Refusal } from '../refusal.ts';

const STRING = 7;

export function eventFrame(event: string, payload: object): string {
  return writeMessage({ ':event-type': event, ':message-type': 'event' }, payload);
}

/** An error in the middle of a stream. */
export function exceptionFrame(refusal: Refusal): string {
  const name = refusal.type.charAt(0).toLowerCase() + refusal.type.slice(1);
  const headers = { ':exception-type': name, ':message-type': 'exception' };
  return writeMessage(headers, { message: refusal.message });
}

function writeMessage(headers: Readonly<Record<string, string>>, payload: object): string {
  const head = Buffer.concat(
    Object.entries({ ...headers, ':content-type': 'application/json' }).flatMap(([name, value]) => [
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([STRING, value.length >> 8, value.length & 0xff]),
      Buffer.from(value),
    ]),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(prelude.length + head.length + body.length + 4, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const all = Buffer.concat([prelude, head, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(all));
  return Buffer.concat([all, checksum]).toString('latin1');
}
