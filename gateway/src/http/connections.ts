/**
 * The connections of callers. Knows which of them have a request under way, and closes them without losing an answer
 * or a request that is being sent.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../kernel/time.ts';
import { hasUnread } from '../net/has-unread-bytes.ts';

/** After the last answer, incoming bytes are read for this long, because a reset would destroy the answer. */
const LINGER_MS = 2_000;

interface Held {
  /** Requests that are being answered; more than one if the client pipelines. */
  active: number;
  /** The most recent one. */
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

  /** Number of connections accepted so far. */
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
    // Closing a connection with unread bytes resets it, and the reset overtakes the answer.
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

  /** True if a complete request is being answered; that answer then becomes the last one. */
  answersLast(socket: Socket): boolean {
    const held = this.#held.get(socket);
    if (held === undefined || held.active === 0 || held.request?.complete !== true) return false;
    if (held.response?.headersSent === false) held.response.setHeader('connection', 'close');
    return true;
  }

  /** From now on, answers carry Connection: close. */
  announceClose(): void {
    for (const { active, response } of this.#held.values()) {
      if (active > 0 && response?.headersSent === false) response.setHeader('connection', 'close');
    }
  }

  /**
   * Closes connections that have been idle for this long. A client may send a request on an idle connection at any
   * moment, so it is left to the client to close it, for as long as there is time.
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

  /** Called after the last answer has been written. */
  close(socket: Socket): void {
    const held = this.#held.get(socket);
    if (held === undefined) socket.destroy();
    else this.#linger(socket, held);
  }

  /** Ends our side, and waits a moment for the other side to end too. */
  #linger(socket: Socket, held: Held): void {
    if (held.closing) return;
    held.closing = true;
    socket.end();
    socket.once('end', () => socket.destroy());
    const cancel = this.#clock.after(LINGER_MS, () => socket.destroy());
    socket.once('close', cancel);
  }
}
