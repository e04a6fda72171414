/**
 * All connections read into one buffer. By default Node allocates 64 KiB for every read, which the system maps, clears
 * and unmaps again: for a small request that costs more than reading it.
 */
import { Socket } from 'node:net';
import { KIB } from '../kernel/bytes.ts';
import { usesInside } from '../kernel/node-insides.ts';

const readBuffer = Buffer.allocUnsafeSlow(64 * KIB);

/** An option of the server: `readTogether` decides how connections are read. */
export const READ_LATER = { pauseOnConnect: true } as const;

/** Returns the socket to use instead. `onBytes` gets bytes that are only valid during the call. */
export function readTogether(accepted: Socket, onBytes: (bytes: Buffer) => void): Socket {
  const holder = accepted as Socket & { _handle?: object | null };
  const handle = usesInside('accepted-sockets') ? (holder._handle ?? null) : null;
  // Only sockets that we open ourselves can be given a buffer, so the connection moves to such a socket.
  if (handle === null) return accepted.on('data', onBytes).resume();
  holder._handle = null;
  const onread = {
    buffer: readBuffer,
    callback: (length: number): boolean => {
      onBytes(readBuffer.subarray(0, length));
      return true;
    },
  };
  return new Socket({ handle, allowHalfOpen: true, onread } as ConstructorParameters<typeof Socket>[0]);
}
