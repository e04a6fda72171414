/**
 * Reads the duration and the dimensions of an MP4 film while its bytes stream through (ISO 14496-12: boxes with a
 * length, a name and content). Buffers only the index, `moov`, wherever it is. Pure and tolerant: a value that cannot be
 * read is null.
 */

export interface FilmFacts {
  readonly seconds: number | null;
  readonly width: number | null;
  readonly height: number | null;
}

const NOTHING: FilmFacts = { seconds: null, width: null, height: null };
/** A longer index is not read. */
const INDEX_BYTES_MAX = 16 * 1024 * 1024;
const HEAD_BYTES = 8;
const LONG_HEAD_BYTES = 16;
/** A length of 1 means that a 64-bit length follows the name. */
const LONG = 1;
const TO_THE_END = 0;
const DEPTH_MAX = 4;
const FIXED_POINT = 65_536;

export class FilmReader {
  #head = Buffer.alloc(0);
  /** The bytes left of the current box's content. */
  #left = 0;
  #index: Buffer[] | null = null;
  #facts: FilmFacts = NOTHING;
  #over = false;

  push(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0 && !this.#over) rest = this.#left > 0 ? this.#pass(rest) : this.#open(rest);
  }

  facts(): FilmFacts {
    return this.#facts;
  }

  #pass(bytes: Buffer): Buffer {
    const taken = bytes.subarray(0, this.#left);
    this.#left -= taken.length;
    this.#index?.push(taken);
    if (this.#left === 0 && this.#index !== null) {
      this.#facts = readIndex(Buffer.concat(this.#index));
      this.#over = true;
    }
    return bytes.subarray(taken.length);
  }

  #open(bytes: Buffer): Buffer {
    const wanted = (isLong(this.#head) ? LONG_HEAD_BYTES : HEAD_BYTES) - this.#head.length;
    this.#head = Buffer.concat([this.#head, bytes.subarray(0, wanted)]);
    const rest = bytes.subarray(wanted);
    const head = readHead(this.#head);
    if (head === 'more') return rest;
    this.#head = Buffer.alloc(0);
    const tooLong = head?.name === 'moov' && head.length > INDEX_BYTES_MAX;
    // A box without a length is the last one.
    if (head === null || tooLong) this.#over = true;
    else {
      this.#left = head.length;
      this.#index = head.name === 'moov' ? [] : null;
    }
    return rest;
  }
}

interface Box {
  readonly name: string;
  /** The length of its content. */
  readonly length: number;
}

function isLong(head: Buffer): boolean {
  return head.length >= HEAD_BYTES && head.readUInt32BE(0) === LONG;
}

/** Null when there is no box here, or its content extends to the end of the file. */
function readHead(head: Buffer): Box | 'more' | null {
  const long = isLong(head);
  const size = long ? LONG_HEAD_BYTES : HEAD_BYTES;
  if (head.length < size) return 'more';
  const whole = long ? Number(head.readBigUInt64BE(HEAD_BYTES)) : head.readUInt32BE(0);
  if (whole === TO_THE_END || whole < size || !Number.isSafeInteger(whole)) return null;
  return { name: head.toString('latin1', 4, HEAD_BYTES), length: whole - size };
}

function readIndex(index: Buffer): FilmFacts {
  let facts = NOTHING;
  walk(index, 0, (name, content) => {
    if (name === 'mvhd') facts = { ...facts, seconds: readSeconds(content) };
    if (name !== 'tkhd' || facts.width !== null || content.length < HEAD_BYTES) return;
    // The last two fields of a track header; zero for audio tracks.
    const width = Math.round(content.readUInt32BE(content.length - 8) / FIXED_POINT);
    const height = Math.round(content.readUInt32BE(content.length - 4) / FIXED_POINT);
    if (width > 0 && height > 0) facts = { ...facts, width, height };
  });
  return facts;
}

function walk(bytes: Buffer, depth: number, visit: (name: string, content: Buffer) => void): void {
  let at = 0;
  while (at + HEAD_BYTES <= bytes.length) {
    const head = readHead(bytes.subarray(at, at + LONG_HEAD_BYTES));
    if (head === null || head === 'more') return;
    const start = at + (isLong(bytes.subarray(at)) ? LONG_HEAD_BYTES : HEAD_BYTES);
    const content = bytes.subarray(start, start + head.length);
    if (content.length < head.length) return;
    if (head.name === 'trak' && depth < DEPTH_MAX) walk(content, depth + 1, visit);
    else visit(head.name, content);
    at = start + head.length;
  }
}

/** The movie header has a time scale and the duration in that scale. */
function readSeconds(content: Buffer): number | null {
  const wide = content[0] === 1;
  const at = wide ? 20 : 12;
  if (content.length < at + (wide ? 12 : 8)) return null;
  const scale = content.readUInt32BE(at);
  const length = wide ? Number(content.readBigUInt64BE(at + 4)) : content.readUInt32BE(at + 4);
  const seconds = Math.round((length / scale) * 1_000) / 1_000;
  return Number.isFinite(seconds) && seconds > 0 && seconds < SECONDS_MAX ? seconds : null;
}

/** Encoders write the largest number for an unknown duration. */
const SECONDS_MAX = 1_000_000;
