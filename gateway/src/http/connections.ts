/**
 * The connections of callers. Knows which of them carry a request, and closes them so that neither an answer nor
 * a request that is on its way is lost.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../kernel/time.ts';
import { hasUnread } from '../net/has-unread-bytes.ts';

/** How long what still comes is read after a last answer, so that the answer is not lost with it. */
const LINGER_MS = 2_000;

interface Held {
  /** Requests that are being answered; more than one when they were sent without waiting. */
  active: number;
  /** The latest. */
  request: IncomingMessage | null;
  response: ServerResponse | null;
  quietSinceMs: number;
  bytesRead: number;
  closing: boolean;
}

export class Connections {
  readonly #clock: Clock;
  readonly #held = new Map<Socket, Held>();
  #accepted = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#held.size;
  }

  /** How many there have been. */
  get accepted(): number {
    return this.#accepted;
  }

  add(socket: Socket): void {
    this.#accepted++;
    const held: Held = {
      ...{ active: 0, request: null, response: null, closing: false },
      ...{ quietSinceMs: this.#clock.elapsedMs(), bytesRead: 0 },
    };
    this.#held.set(socket, held);
    socket.once('close', () => this.#held.delete(socket));
    const close = socket.destroySoon.bind(socket);
    // A connection that is closed with bytes unread is reset, and the reset overtakes the answer.
    socket.destroySoon = () => {
      if (held.request === null || held.request.complete) close();
      else this.#linger(socket, held);
    };
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    const held = this.#held.get(request.socket);
    if (held === undefined) return;
    held.active++;
    held.request = request;
    held.response = response;
    response.once('close', () => {
      held.active--;
      held.quietSinceMs = this.#clock.elapsedMs();
    });
  }

  /** Whether a whole request is being answered; that answer is the last then. */
  answersLast(socket: Socket): boolean {
    const held = this.#held.get(socket);
    if (held === undefined || held.active === 0 || held.request?.complete !== true) return false;
    if (held.response?.headersSent === false) held.response.setHeader('connection', 'close');
    return true;
  }

  /** What is answered from now on says that its connection ends with it. */
  announceClose(): void {
    for (const { active, response } of this.#held.values()) {
      if (active > 0 && response?.headersSent === false) response.setHeader('connection', 'close');
    }
  }

  /**
   * Closes those on which nothing happened for so long. A request may be sent on an idle connection at any
   * moment, so they are left to whoever opened them for as long as that can be waited for.
   */
  closeIdle(quietMs: number): void {
    const nowMs = this.#clock.elapsedMs();
    for (const [socket, held] of this.#held) {
      if (held.active > 0 || held.closing) continue;
      if (socket.bytesRead !== held.bytesRead) {
        held.bytesRead = socket.bytesRead;
        held.quietSinceMs = nowMs;
      }
      if (nowMs - held.quietSinceMs < quietMs) continue;
      if (quietMs === 0) socket.destroy();
      else if (!hasUnread(socket)) this.#linger(socket, held);
    }
  }

  /** After a last answer, which is written already. */
  close(socket: Socket): void {
    const held = this.#held.get(socket);
    if (held === undefined) socket.destroy();
    else this.#linger(socket, held);
  }

  /** Says goodbye, and waits a moment for the other side to do so too. */
  #linger(socket: Socket, held: Held): void {
    if (held.closing) return;
    held.closing = true;
    socket.end();
    socket.once('end', () => socket.destroy());
    const cancel = this.#clock.after(LINGER_MS, () => socket.destroy());
    socket.once('close', cancel);
  }
}
