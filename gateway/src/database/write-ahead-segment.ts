/**
 * The bytes of a segment: a head, then records, then zeros. Each record has its length, a checksum, its sequence number
 * and its payload. The checksum starts from the head, which has random bytes: what an older file left in the same blocks
 * of the disk is never taken for a record.
 */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

export interface WriteAheadRecord {
  readonly sequence: number;
  readonly payload: string;
}

const MARK = Buffer.from('TOLLWAL1');
const SALT_BYTES = 12;
const CHECKSUM_BYTES = 4;
export const HEAD_BYTES = MARK.length + SALT_BYTES + CHECKSUM_BYTES;
/** The length, the checksum and the sequence number. */
export const RECORD_HEAD_BYTES = 16;
const SEQUENCE_BYTES = 6;

export interface SegmentHead {
  readonly bytes: Buffer;
  /** Where the checksums of its records start from. */
  readonly seed: number;
}

export function newHead(): SegmentHead {
  const marked = Buffer.concat([MARK, randomBytes(SALT_BYTES)]);
  const bytes = Buffer.alloc(HEAD_BYTES);
  marked.copy(bytes);
  const seed = crc32(marked);
  bytes.writeUInt32LE(seed, marked.length);
  return { bytes, seed };
}

export function recordBytes({ sequence, payload }: WriteAheadRecord, seed: number): Buffer {
  const length = Buffer.byteLength(payload);
  const bytes = Buffer.allocUnsafe(RECORD_HEAD_BYTES + length);
  bytes.writeUInt32LE(length, 0);
  bytes.writeUInt32LE(0, 4);
  bytes.writeUIntLE(sequence, 8, SEQUENCE_BYTES);
  bytes.writeUInt16LE(0, 8 + SEQUENCE_BYTES);
  bytes.write(payload, RECORD_HEAD_BYTES);
  bytes.writeUInt32LE(crc32(bytes, seed), 4);
  return bytes;
}

/** The records up to the first that is not whole; none if the head is not whole. */
export function readSegment(segment: Buffer): WriteAheadRecord[] {
  const seed = readHead(segment);
  if (seed === null) return [];
  const records: WriteAheadRecord[] = [];
  let at = HEAD_BYTES;
  for (;;) {
    const record = readRecord(segment, at, seed);
    const last = records.at(-1);
    if (record === null || (last !== undefined && record.sequence !== last.sequence + 1)) return records;
    const end = at + RECORD_HEAD_BYTES + segment.readUInt32LE(at);
    records.push(record);
    at = end;
  }
}

function readHead(segment: Buffer): number | null {
  if (segment.length < HEAD_BYTES || !segment.subarray(0, MARK.length).equals(MARK)) return null;
  const marked = segment.subarray(0, MARK.length + SALT_BYTES);
  const seed = crc32(marked);
  return segment.readUInt32LE(marked.length) === seed ? seed : null;
}

function readRecord(segment: Buffer, at: number, seed: number): WriteAheadRecord | null {
  if (at + RECORD_HEAD_BYTES > segment.length) return null;
  const length = segment.readUInt32LE(at);
  const end = at + RECORD_HEAD_BYTES + length;
  if (length === 0 || end > segment.length) return null;
  const bytes = Buffer.from(segment.subarray(at, end));
  const checksum = bytes.readUInt32LE(4);
  bytes.writeUInt32LE(0, 4);
  if (crc32(bytes, seed) !== checksum) return null;
  return {
    sequence: bytes.readUIntLE(8, SEQUENCE_BYTES),
    payload: bytes.toString('utf8', RECORD_HEAD_BYTES),
  };
}
