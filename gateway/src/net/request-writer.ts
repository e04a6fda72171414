/** Writes requests to a connection: small ones at once, large ones a step per event-loop turn. */
import type { Socket } from 'node:net';
import { KIB } from '../kernel/bytes.ts';
import type { PausedReader, TurnBudget } from '../kernel/turn-budget.ts';
import { beginWrite, endWrite } from '../memory/body-memory.ts';

/** Larger bodies are written after their head instead of being copied behind it. */
const JOINED_BYTES_MAX = 64 * KIB;
/** Written of a large body in one event-loop turn. */
const STEP_BYTES = 512 * KIB;

export class RequestWriter {
  readonly #turns: TurnBudget;
  readonly #onWritten: () => void;
  #socket: Socket | null = null;
  /** Pieces of a large body that are not written yet. */
  #unsent: Buffer[] = [];
  /** The whole large body, until its last piece is handed to the socket: an idle connection must not hold it. */
  #body: readonly Buffer[] = [];
  readonly #turn: PausedReader = { resume: () => this.#writeNext() };

  /** `onWritten` is called after every step of a large body. */
  constructor(turns: TurnBudget, onWritten: () => void) {
    this.#turns = turns;
    this.#onWritten = onWritten;
  }

  /** `head` ends before the length of the body. */
  write(socket: Socket, head: string, body: Buffer | readonly Buffer[]): void {
    this.#socket = socket;
    if (Buffer.isBuffer(body)) this.#writeJoined(socket, `${head}${body.length}\r\n\r\n`, body);
    else {
      const length = body.reduce((sum, piece) => sum + piece.length, 0);
      this.#writeAfter(`${head}${length}\r\n\r\n`, body);
    }
  }

  /** Whether a part of the request is still to be sent. */
  get isSending(): boolean {
    return this.#unsent.length > 0 || (this.#socket?.writableLength ?? 0) > 0;
  }

  stop(): void {
    this.#turns.remove(this.#turn);
    this.#unsent = [];
    this.#body = [];
    this.#socket = null;
  }

  #writeJoined(socket: Socket, head: string, body: Buffer): void {
    if (body.length > JOINED_BYTES_MAX) {
      this.#writeAfter(head, [body]);
      return;
    }
    const bytes = Buffer.allocUnsafe(head.length + body.length);
    bytes.write(head, 'latin1');
    body.copy(bytes, head.length);
    socket.write(bytes);
  }

  #writeAfter(head: string, pieces: readonly Buffer[]): void {
    // With the first pieces: a write of its own would cost another system call and another packet.
    this.#unsent = [Buffer.from(head, 'latin1'), ...pieces.flatMap(cutPiece)];
    this.#body = pieces;
    beginWrite(pieces);
    this.#writeNext();
  }

  /** Writes are done in order, so that all pieces are written when the last one is. */
  #writeLast(socket: Socket, piece: Buffer): void {
    const body = this.#body;
    this.#body = [];
    socket.write(piece, (error) => {
      if (!error) endWrite(body);
    });
  }

  /** One step per event-loop turn: the kernel copies megabytes at once, and many large bodies add up. */
  #writeNext(): void {
    const socket = this.#socket;
    if (socket === null) return;
    let bytes = 0;
    socket.cork();
    while (this.#unsent.length > 0 && bytes < STEP_BYTES) {
      const piece = this.#unsent.shift() as Buffer;
      bytes += piece.length;
      if (this.#unsent.length > 0) socket.write(piece);
      else this.#writeLast(socket, piece);
    }
    socket.uncork();
    this.#onWritten();
    if (this.#unsent.length === 0) return;
    const next = (): void => {
      if (this.#turns.spend(this.#turn, bytes)) setImmediate(() => this.#writeNext());
    };
    if (socket.writableNeedDrain) socket.once('drain', next);
    else next();
  }
}

function cutPiece(piece: Buffer): Buffer[] {
  if (piece.length <= STEP_BYTES) return [piece];
  const parts = Math.ceil(piece.length / STEP_BYTES);
  return Array.from({ length: parts }, (_, i) => piece.subarray(i * STEP_BYTES, (i + 1) * STEP_BYTES));
}
