/**
 * Receives the body of a request. A small body is collected. A large one first reserves bytes in the memory budget of
 * its key and space, is scanned chunk by chunk, and holds no more memory than was sent.
 */
import type { EdgeRequest } from '../edge/edge-request.ts';
import { Problem } from '../kernel/problem.ts';
import type { ByteLease } from '../memory/byte-budget.ts';
import type { ArrivingBody, BodyArrivals } from './body-arrivals.ts';

/** A larger body is read in several event-loop turns. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** Bytes that a body of unknown length reserves at a time. */
const STEP_BYTES = 512 * 1024;

export interface ArrivalOptions {
  readonly bytesMax: number;
  /** Null on routes without a key; their bodies are small. */
  readonly lease: ByteLease | null;
  readonly arrivals: BodyArrivals | null;
  /** Receives the chunks of a large body. Throws to reject it. */
  readonly onLarge: (chunk: Buffer) => void;
}

/** Resolves to a small body, or to null if the body was large and went to `onLarge`. */
export function receiveBody(request: EdgeRequest, options: ArrivalOptions): Promise<Buffer | null> {
  const declared = Math.max(0, request.bodyBytes);
  if (declared > options.bytesMax) throw tooLarge(options.bytesMax);
  const room = options.lease?.take(declared) ?? null;
  // Usually there is room, and no other promise than that of the body.
  if (room === null) return receive(request, declared, options);
  return room.then(() => {
    if (request.destroyed && !request.complete) throw bodyCutOff();
    return receive(request, declared, options);
  });
}

function receive(
  request: EdgeRequest,
  declared: number,
  { bytesMax, lease, arrivals, onLarge }: ArrivalOptions,
): Promise<Buffer | null> {
  return new Promise(
    (resolve, reject) =>
      new Receiving(request, { bytesMax, lease, arrivals, onLarge, declared, resolve, reject }),
  );
}

interface ReceivingOptions extends ArrivalOptions {
  readonly declared: number;
  readonly resolve: (body: Buffer | null) => void;
  readonly reject: (error: unknown) => void;
}

class Receiving implements ArrivingBody {
  place = -1;
  readonly #request: EdgeRequest;
  readonly #options: ReceivingOptions;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Reserved in the budget. */
  #reserved: number;
  /** Reading is paused until the budget has room. */
  #waits = 0;
  #large = false;
  #progressed = true;
  #over = false;

  constructor(request: EdgeRequest, options: ReceivingOptions) {
    this.#request = request;
    this.#options = options;
    this.#reserved = options.declared;
    if (options.declared > SMALL_BODY_BYTES) this.#becomeLarge();
    request.on('data', (chunk: Buffer) => this.#data(chunk));
    request.on('end', () => this.#end());
    request.on('close', () => {
      if (!request.complete) this.#fail(bodyCutOff());
    });
    request.resume();
  }

  resume(): void {
    if (this.#waits === 0) this.#request.resume();
  }

  progressed(): boolean {
    const progressed = this.#progressed;
    this.#progressed = false;
    return progressed;
  }

  stalled(): void {
    const unused = this.#reserved - this.#bytes;
    // A body that waits for the budget cannot make progress.
    if (unused <= 0 || this.#waits > 0) return;
    this.#reserved = this.#bytes;
    this.#options.lease?.giveBack(unused);
  }

  #data(chunk: Buffer): void {
    if (this.#over) return;
    this.#bytes += chunk.length;
    this.#progressed = true;
    if (this.#bytes > this.#options.bytesMax) {
      this.#fail(tooLarge(this.#options.bytesMax));
      return;
    }
    const room = this.#bytes > this.#reserved ? this.#takeMore() : null;
    if (room !== null) this.#pauseFor(room);
    if (this.#large) this.#take(chunk);
    else {
      this.#chunks.push(chunk);
      if (this.#bytes > SMALL_BODY_BYTES) this.#becomeLarge();
    }
  }

  #becomeLarge(): void {
    this.#large = true;
    this.#options.arrivals?.add(this);
    const chunks = this.#chunks;
    this.#chunks = [];
    for (const chunk of chunks) this.#take(chunk);
  }

  #take(chunk: Buffer): void {
    if (this.#over) return;
    try {
      this.#options.onLarge(chunk);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (this.#options.arrivals?.received(this, chunk.length) === false) this.#request.pause();
  }

  #takeMore(): Promise<void> | null {
    const { declared, bytesMax, lease } = this.#options;
    // A small body of unknown length reserves only what it needs.
    const step = this.#bytes <= SMALL_BODY_BYTES ? 0 : STEP_BYTES;
    const next = Math.max(this.#bytes, Math.min(declared > 0 ? declared : bytesMax, this.#bytes + step));
    const more = next - this.#reserved;
    this.#reserved = next;
    return lease?.take(more) ?? null;
  }

  #pauseFor(room: Promise<void>): void {
    this.#waits++;
    this.#request.pause();
    room.then(
      () => {
        this.#waits--;
        this.resume();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #end(): void {
    if (this.#over) return;
    this.#leave();
    const [only] = this.#chunks;
    if (this.#large) this.#options.resolve(null);
    else
      this.#options.resolve(
        this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks),
      );
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    this.#leave();
    this.#chunks = [];
    this.#options.reject(error);
  }

  #leave(): void {
    this.#over = true;
    if (this.#large) this.#options.arrivals?.remove(this);
  }
}

export function bodyCutOff(): Problem {
  return new Problem('malformed_request', {
    detail: 'The connection ended before the whole body was received. Send the request again.',
  });
}

function tooLarge(bytesMax: number): Problem {
  return new Problem('request_too_large', {
    detail: `The body is larger than ${bytesMax} bytes, the limit of this endpoint. Send a smaller body.`,
  });
}
