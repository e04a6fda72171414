/** A proxy that cuts each connection, after some bytes or some time. */

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  readonly url: string;
  readonly cuts: number;
  /** Stops cutting. */
  calm(): void;
  stop(): Promise<void>;
}

/** The target may be a function if it must know the address of the proxy first. */
export async function startCuttingProxy(
  target: string | (() => string),
  options: { random: () => number; bytesMax: number; msMax: number },
): Promise<CuttingProxy> {
  const { random, bytesMax, msMax } = options;
  const open = new Set<Socket>();
  let [cuts, calm] = [0, false];
  const server = createServer((near) => {
    const { hostname, port } = new URL(typeof target === 'string' ? target : target());
    const far = connect({ host: hostname, port: Number(port) });
    let done = false;
    const cut = (): void => {
      if (done) return;
      done = true;
      if (!calm) cuts++;
      // Some ends are clean and some are not.
      if (random() < 0.3) near.end();
      else near.resetAndDestroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        done = true;
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    let bytes = random() < 0.5 ? random() * bytesMax : Number.POSITIVE_INFINITY;
    if (!calm) setTimeout(cut, random() * msMax).unref();
    far.on('data', (chunk: Buffer) => {
      if (done) return;
      if (calm || bytes >= chunk.length) {
        bytes -= chunk.length;
        near.write(chunk);
        return;
      }
      near.write(chunk.subarray(0, bytes), cut);
      bytes = 0;
    });
    far.on('end', () => near.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cuts() {
      return cuts;
    },
    calm() {
      calm = true;
      for (const socket of open) socket.destroy();
    },
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
