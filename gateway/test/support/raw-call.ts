/** A caller that sends exactly the given bytes, and stops where the test says. */
import { connect, type Socket } from 'node:net';

export interface RawCall {
  readonly socket: Socket;
  /** What was answered so far. */
  readonly text: () => string;
  /** The status, as soon as it is there. */
  readonly status: Promise<number>;
}

export interface RawRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export function rawCall(url: string, call: RawRequest): RawCall {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let answered = '';
  const status = new Promise<number>((resolve, reject) => {
    socket.on('data', (bytes: Buffer) => {
      answered += bytes.toString('latin1');
      const found = /^HTTP\/1\.1 (\d{3})/.exec(answered);
      if (found !== null) resolve(Number(found[1]));
    });
    socket.on('close', () => reject(new Error('closed without an answer')));
  });
  status.catch(() => undefined);
  socket.on('error', () => undefined);
  writeCall(socket, call);
  return { socket, text: () => answered, status };
}

/** Writes a request on a connection that may be open already. */
export function writeCall(socket: Socket, { path, headers, body }: RawRequest): void {
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(body);
}
