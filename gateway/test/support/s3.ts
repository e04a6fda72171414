/** A store that speaks Amazon's protocol, in this process, and what was asked of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface S3Server {
  httpServer: { on(event: 'request', listener: (request: IncomingMessage) => void): void };
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}
type S3Constructor = new (options: Record<string, unknown>) => S3Server;

export interface TestS3 {
  readonly endpoint: string;
  readonly bucket: string;
  /** `METHOD /path?query` of every request, the oldest first. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

export async function startS3(): Promise<TestS3> {
  const S3rver = createRequire(import.meta.url)('s3rver') as S3Constructor;
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-test-s3-'));
  const bucket = 'tollgate';
  const server = new S3rver({
    ...{ address: '127.0.0.1', port: 0, directory, silent: true },
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  // The SDK finds its credentials by itself; these are the ones the stand-in knows.
  process.env.AWS_ACCESS_KEY_ID = 'S3RVER';
  process.env.AWS_SECRET_ACCESS_KEY = 'S3RVER';
  const { port } = await server.run();
  const asked: string[] = [];
  server.httpServer.on('request', ({ method, url }) => asked.push(`${method} ${url}`));
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    asked,
    async stop() {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
