/** Closes the connections of callers that stop reading their answer. */

import type { Socket } from 'node:net';
import type { EdgeResponse } from '../edge/edge-response.ts';
import type { Clock } from '../kernel/time.ts';

/** A complete answer is cut if the caller reads none of it for this long. */
const ANSWER_MS_MAX = 60_000;
/** Smaller answers are never cut. */
const UNSENT_BYTES_MIN = 64 * 1024;
/** Longer for streams: they hold little, and the reader may be a person who pauses for a moment. */
const STREAM_MS_MAX = 5 * 60_000;

/** Called when the whole answer is written. */
export function cutIfStalled(response: EdgeResponse, clock: Clock): void {
  const { socket } = response;
  if (response.writableFinished || socket.writableLength < UNSENT_BYTES_MIN) return;
  const cancel = cutWhenStalled(socket, { clock, msMax: ANSWER_MS_MAX });
  response.on('close', cancel);
}

/** Called when a stream starts to wait for its caller. Returns a function to call when it no longer waits. */
export function cutStreamIfStalled(socket: Socket, clock: Clock): () => void {
  return cutWhenStalled(socket, { clock, msMax: STREAM_MS_MAX });
}

function cutWhenStalled(socket: Socket, { clock, msMax }: { clock: Clock; msMax: number }): () => void {
  let unsent = unsentBytes(socket);
  const check = (): void => {
    const now = unsentBytes(socket);
    if (now === unsent) socket.destroy();
    else {
      unsent = now;
      cancel = clock.after(msMax, check);
    }
  };
  let cancel = clock.after(msMax, check);
  return () => cancel();
}

/** Includes a write that the kernel has taken in part. */
function unsentBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}
