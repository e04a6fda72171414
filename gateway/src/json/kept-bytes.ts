/** Collects the parts of a body that are kept. The first ones are copied into one block: a long prompt has hundreds. */
import { KIB } from '../kernel/bytes.ts';

/** Returns memory for this many bytes, or for more. */
export type TakeMemory = (bytes: number) => Buffer;

/** Enough for most prompts of coding agents. */
const ROOM_BYTES = 64 * KIB;

export class KeptBytes {
  readonly #take: TakeMemory;
  #block: Buffer | null = null;
  #used = 0;
  /** What did not fit into the block, uncopied: a body may be all kept, and must not be held twice while it arrives. */
  readonly #rest: Buffer[] = [];
  length = 0;

  constructor(take: TakeMemory = Buffer.allocUnsafe) {
    this.#take = take;
  }

  add(bytes: Buffer, from: number, to: number): void {
    const block = this.#room(to - from);
    if (block === null) this.#rest.push(bytes.subarray(from, to));
    else this.#used += bytes.copy(block, this.#used, from, to);
    this.length += to - from;
  }

  /** One byte per character. */
  addText(text: string): void {
    const block = this.#room(text.length);
    if (block === null) this.#rest.push(Buffer.from(text, 'latin1'));
    else this.#used += block.write(text, this.#used, 'latin1');
    this.length += text.length;
  }

  whole(): Buffer {
    const copied = this.#block?.subarray(0, this.#used) ?? NOTHING;
    return this.#rest.length === 0 ? copied : Buffer.concat([copied, ...this.#rest]);
  }

  /** The block, if it has room and nothing comes before what is added to it. */
  #room(bytes: number): Buffer | null {
    if (this.#rest.length > 0) return null;
    this.#block ??= this.#take(ROOM_BYTES);
    return this.#used + bytes <= this.#block.length ? this.#block : null;
  }
}

const NOTHING = Buffer.alloc(0);
