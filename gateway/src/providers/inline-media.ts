/**
 * JSON bodies with media as base64. The bytes are encoded while they are sent, so that only one piece is in
 * memory.
 */
import { exactPieces, type MediaInput } from './media-input.ts';

/** A placeholder in a body for the base64 of an input. */
export class InlineMedia {
  readonly media: MediaInput;
  /** Written before the base64, as in a data URL. */
  readonly prefix: string;

  constructor(media: MediaInput, prefix = '') {
    this.media = media;
    this.prefix = prefix;
  }

  static dataUrl(media: MediaInput): InlineMedia {
    return new InlineMedia(media, `data:${media.mimeType};base64,`);
  }

  get length(): number {
    return Buffer.byteLength(this.prefix) + 4 * Math.ceil(this.media.bytes / 3);
  }
}

export interface InlineBody {
  readonly length: number;
  /** `beforeLast` is awaited before the last bytes, without which the body is not valid JSON. */
  pieces(beforeLast: () => Promise<void>): AsyncGenerator<Buffer>;
}

/** `marker` consists of letters and digits and must not occur in the body. */
export function writeInlineBody(value: object, marker: string): InlineBody {
  const inlines: InlineMedia[] = [];
  const text = JSON.stringify(value, (_, item: unknown) => {
    if (!(item instanceof InlineMedia)) return item;
    inlines.push(item);
    return marker;
  });
  const texts = text.split(marker).map((part) => Buffer.from(part));
  const last = texts.pop() ?? Buffer.alloc(0);
  const length = [...texts, last, ...inlines].reduce((sum, part) => sum + part.length, 0);
  return {
    length,
    async *pieces(beforeLast) {
      for (const [i, part] of texts.entries()) {
        yield part;
        yield* base64Of(inlines[i] as InlineMedia);
      }
      await beforeLast();
      yield last;
    },
  };
}

async function* base64Of({ media, prefix }: InlineMedia): AsyncGenerator<Buffer> {
  if (prefix !== '') yield Buffer.from(prefix);
  // Three bytes make four characters of base64; the remainder waits for the next piece.
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of exactPieces(media)) {
    const all = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const whole = all.length - (all.length % 3);
    rest = Buffer.from(all.subarray(whole));
    if (whole > 0) yield letters(all.subarray(0, whole));
  }
  if (rest.length > 0) yield letters(rest);
}

function letters(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('base64'), 'latin1');
}
