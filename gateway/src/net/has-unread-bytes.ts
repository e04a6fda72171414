/** Looks into a connection past the event loop. */
import { readSync } from 'node:fs';
import type { Socket } from 'node:net';

const probe = Buffer.alloc(1);

/**
 * Whether something came, or the other side closed, that the event loop has not told yet. What is read here is
 * lost, so a connection that has something is not used any more.
 */
export function hasUnread(socket: Socket): boolean {
  // Where the system does not give it, what the event loop tells has to do.
  const fd = (socket as Socket & { _handle?: { fd?: number } | null })._handle?.fd ?? -1;
  if (fd < 0) return false;
  const { stackTraceLimit } = Error;
  // The usual answer is an error, "nothing there", and its stack is what would cost.
  Error.stackTraceLimit = 0;
  try {
    readSync(fd, probe, 0, 1, null);
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== 'EAGAIN';
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
