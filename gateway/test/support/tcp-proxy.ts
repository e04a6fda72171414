/** Stands between a client and a server, and does to their connections what networks do. */
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** How many connections are open through it and not frozen. */
  readonly live: number;
  /** Nothing passes any more on the connections that are open now; new ones work. They never thaw. */
  freezeOpen(): void;
  /** Nothing passes on any connection, new ones included, until `thaw`. */
  freezeAll(): void;
  /** New connections work again; what was frozen stays so. */
  thaw(): void;
  /** The server hears of the frozen connections that the client has closed, as it would after some hours. */
  endAbandoned(): void;
  /** Cuts every connection, with a reset. */
  reset(): void;
  /** The server seems to have stopped: every connection is cut, new ones too, until `startServer`. */
  stopServer(): void;
  startServer(): void;
  /** The server's side seems to have said goodbye; what the client sends goes nowhere. */
  halfClose(): void;
  /** Everything takes this much longer, in each direction. */
  delay(ms: number): void;
  /** New connections go to another server; those that are open stay. */
  leadTo(target: TcpTarget): void;
  stop(): Promise<void>;
}

export interface TcpTarget {
  readonly host: string;
  readonly port: number;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  frozen: boolean;
}

export async function startTcpProxy(first: TcpTarget): Promise<TcpProxy> {
  let target = first;
  const pairs = new Set<Pair>();
  const abandoned = new Set<Socket>();
  let [frozen, stopped, delayMs] = [false, false, 0];
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (stopped) {
      near.resetAndDestroy();
      return;
    }
    const pair: Pair = { near, far: connect({ ...target, allowHalfOpen: true }), frozen };
    pairs.add(pair);
    for (const [from, to] of [
      [pair.near, pair.far],
      [pair.far, pair.near],
    ] as const) {
      const pass = (work: () => void): void => {
        if (pair.frozen) return;
        if (delayMs === 0) work();
        else setTimeout(() => pair.frozen || work(), delayMs);
      };
      from.on('data', (chunk: Buffer) => pass(() => to.destroyed || to.write(chunk)));
      from.on('end', () => pass(() => to.end()));
      from.on('error', () => undefined);
      from.on('close', () => {
        if (from === pair.near) {
          pairs.delete(pair);
          if (pair.frozen) abandoned.add(pair.far);
        }
        pass(() => to.destroy());
        // A side that gave up on a frozen connection is not heard on the other side either, until we stop.
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const freezeOpen = (): void => {
    for (const pair of pairs) pair.frozen = true;
  };
  const reset = (): void => {
    for (const { near, far } of pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
  };
  const everFar = new Set<Socket>();
  server.on('connection', () => {
    for (const { far } of pairs) everFar.add(far);
  });
  return {
    port: (server.address() as AddressInfo).port,
    get live() {
      return [...pairs].filter((pair) => !pair.frozen).length;
    },
    freezeOpen,
    freezeAll() {
      frozen = true;
      freezeOpen();
    },
    thaw() {
      frozen = false;
    },
    endAbandoned() {
      for (const far of abandoned) far.destroy();
      abandoned.clear();
    },
    reset,
    stopServer() {
      stopped = true;
      reset();
    },
    startServer() {
      stopped = false;
    },
    halfClose() {
      for (const pair of pairs) {
        pair.frozen = true;
        pair.near.end();
      }
    },
    delay(ms) {
      delayMs = ms;
    },
    leadTo(other) {
      target = other;
    },
    async stop() {
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      for (const far of everFar) far.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
