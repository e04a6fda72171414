/** Reads a socket without waiting for the event loop. */
import { readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { usesInside } from '../kernel/node-insides.ts';

/** False: nothing is ever seen here, and the event loop's reports must suffice. */
export const seesUnread = usesInside('unread-bytes');

const probe = Buffer.alloc(1);

/**
 * Whether bytes arrived, or the other side closed, that the event loop has not reported yet. The byte read here is lost,
 * so a connection with unread bytes must not be used any more.
 */
export function hasUnread(socket: Socket): boolean {
  // Without a file descriptor, the event loop's reports must suffice.
  const { _handle: handle } = socket as Socket & { _handle?: { fd?: number } | null };
  const fd = handle?.fd ?? -1;
  if (fd < 0 || !seesUnread) return false;
  const { stackTraceLimit } = Error;
  // The usual result is an EAGAIN error, and capturing its stack would be expensive.
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
