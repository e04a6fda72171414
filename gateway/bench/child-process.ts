/** The child's side of the benchmark's own processes: report the port, end with the parent. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listening {
  readonly port: number;
}

export function listenForParent(server: Server): void {
  endWithParent();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
    const { port } = server.address() as AddressInfo;
    process.send?.({ port } satisfies Listening);
  });
}

/** A parent that was killed cannot stop its children; they notice that it is gone. */
export function endWithParent(): void {
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole group; the parent decides the order of the end.
  process.on('SIGINT', () => undefined);
}
