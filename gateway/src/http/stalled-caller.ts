/** Callers who do not take their answer: what is held for them is held only so long. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../kernel/time.ts';

/** An answer that is whole is cut when nothing of it is taken for so long. */
const ANSWER_MS_MAX = 60_000;
/** So little may lie there as long as it likes. */
const HELD_BYTES_MIN = 64 * 1024;
/** A stream holds little, and its caller may be a person who went away for a moment. */
const STREAM_MS_MAX = 5 * 60_000;

/** Called when all of the answer is written. */
export function cutIfStalled(response: ServerResponse, clock: Clock): void {
  const { socket } = response;
  if (response.writableFinished || socket === null || socket.writableLength < HELD_BYTES_MIN) return;
  const cancel = cutWhenNothingIsTaken(socket, { clock, msMax: ANSWER_MS_MAX });
  response.on('close', cancel);
}

/** Called when a stream has to wait for its caller; the answer is to be called when it need not any more. */
export function cutStreamIfStalled(socket: Socket, clock: Clock): () => void {
  return cutWhenNothingIsTaken(socket, { clock, msMax: STREAM_MS_MAX });
}

function cutWhenNothingIsTaken(
  socket: Socket,
  { clock, msMax }: { clock: Clock; msMax: number },
): () => void {
  let held = heldBytes(socket);
  const look = (): void => {
    const now = heldBytes(socket);
    if (now === held) socket.destroy();
    else {
      held = now;
      cancel = clock.after(msMax, look);
    }
  };
  let cancel = clock.after(msMax, look);
  return () => cancel();
}

/** Also of a write that the kernel has taken a part of. */
function heldBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}
