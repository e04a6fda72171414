/** Watches whether a client takes its answer. Looked at regularly, so that it costs nothing while answers are written. */
import type { Socket } from 'node:net';
import { usesInside } from '../kernel/node-insides.ts';
import type { SlowReader } from './answer-pace.ts';
import type { EdgeResponse } from './edge-response.ts';

export class ReadingPace {
  #response: EdgeResponse | null = null;
  /** When the first look found the head of the answer written. */
  #sinceMs = 0;
  #takenBytes = 0;
  #takenMs = 0;
  /** The answer waited for its client, and nothing was taken between the last two looks. */
  isUnread = false;

  /** Why the client has to be disconnected; null if it reads fast enough. */
  look(response: EdgeResponse, nowMs: number): SlowReader | null {
    if (!response.headersSent) return null;
    if (response !== this.#response) {
      this.#response = response;
      this.#sinceMs = nowMs;
      this.#takenMs = nowMs;
    }
    const { stallMs, totalMs } = response.pace;
    if (nowMs - this.#sinceMs > totalMs) return 'too_slow';
    const { socket } = response;
    const takenBytes = socket.writableLength === 0 ? NOTHING_WAITS : bytesTaken(socket);
    this.isUnread = takenBytes === this.#takenBytes && takenBytes !== NOTHING_WAITS;
    this.#takenBytes = takenBytes;
    if (!this.isUnread) this.#takenMs = nowMs;
    return nowMs - this.#takenMs > stallMs ? 'stalled' : null;
  }

  /** Nothing is being answered, and the last answer can be forgotten. */
  forget(): void {
    this.#response = null;
    this.isUnread = false;
  }
}

const NOTHING_WAITS = -1;

/** What the system has taken from us. A write may be taken in part, which only Node's inside shows. */
function bytesTaken(socket: Socket): number {
  if (!usesInside('taken-bytes')) return socket.bytesWritten - socket.writableLength;
  const { _handle: handle } = socket as Socket & {
    _handle?: { bytesWritten: number; writeQueueSize: number } | null;
  };
  return handle == null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}
