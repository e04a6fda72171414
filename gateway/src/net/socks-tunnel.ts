/** Opens a tunnel through a SOCKS5 proxy (RFC 1928), with a name and a password if there are some (RFC 1929). */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type ForwardProxy, ProxyError } from './proxies.ts';

const VERSION = 5;
const [NO_LOGIN, WITH_LOGIN] = [0, 2];
const CONNECT = 1;
const [BY_NAME, BY_IPV6] = [3, 4];

/** The proxy resolves the host name. Rejects with a ProxyError; the caller destroys the socket then. */
export async function openSocksTunnel(
  socket: Socket,
  { proxy, host, port }: { proxy: ForwardProxy; host: string; port: number },
): Promise<void> {
  const failure = (what: string): ProxyError => new ProxyError(`the proxy ${proxy.shown} ${what}`);
  const read = (count: number): Promise<Buffer> => readBytes(socket, count, failure);
  const { login } = proxy;
  const methods = login === null ? [NO_LOGIN] : [NO_LOGIN, WITH_LOGIN];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const method = (await read(2))[1];
  if (method === WITH_LOGIN && login !== null) {
    const [name, password] = [withLength(login.name), withLength(login.password.reveal())];
    socket.write(Buffer.concat([Buffer.from([1]), name, password]));
    if ((await read(2))[1] !== 0) throw failure('rejected the name or the password');
  } else if (method !== NO_LOGIN) throw failure('asks for another kind of login');
  const head = Buffer.from([VERSION, CONNECT, 0, BY_NAME]);
  socket.write(Buffer.concat([head, withLength(host), Buffer.from([port >> 8, port & 255])]));
  const [, reply = 0, , addressKind = 0] = await read(4);
  if (reply !== 0) throw failure(`could not connect (SOCKS error ${reply})`);
  const addressBytes = addressKind === BY_NAME ? ((await read(1))[0] ?? 0) : addressKind === BY_IPV6 ? 16 : 4;
  await read(addressBytes + 2);
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text).subarray(0, 255);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** Exactly so many bytes; what follows them stays in the socket. */
async function readBytes(
  socket: Socket,
  count: number,
  failure: (what: string) => ProxyError,
): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(count) as Buffer | null;
    if (bytes !== null && bytes.length === count) return bytes;
    if (socket.destroyed || socket.readableEnded) throw failure('closed the connection');
    await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
  }
}
