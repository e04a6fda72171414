/** Ends our side of a connection, and gives the other side a moment to end too. */
import type { Socket } from 'node:net';
import type { Clock } from '../kernel/time.ts';

/** After the last answer, incoming bytes are read for this long, because a reset would destroy the answer. */
const LINGER_MS = 2_000;

export function endAndWait(socket: Socket, clock: Clock): void {
  socket.end();
  const cancel = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', cancel);
}
