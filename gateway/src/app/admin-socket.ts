/**
 * The local admin socket of a running server. The embedded database belongs to one process, so the command line sends
 * its commands to that process. Access to the socket file grants administration, so its folder is private.
 */

import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { asProblem, Problem } from '../kernel/problem.ts';
import type { Running } from '../kernel/running.ts';
import { type AdminCall, type AdminReply, askServer, socketPath } from './ask-server.ts';

const CALL_BYTES_MAX = 1024 * 1024;

export class AdminSocket implements Running {
  readonly #server: Server;
  readonly #path: string;
  readonly #dataFolder: string;

  constructor(dataFolder: string, run: (call: AdminCall) => Promise<unknown>) {
    this.#dataFolder = dataFolder;
    this.#path = socketPath(dataFolder);
    this.#server = createServer((incoming, response) => {
      answer(incoming, run).then(
        (reply) => {
          response.writeHead('error' in reply ? 400 : 200, { 'content-type': 'application/json' });
          response.end(JSON.stringify(reply));
        },
        () => response.destroy(),
      );
    });
  }

  /** Listens, unless another server with the same data folder already does, which PostgreSQL allows. */
  async start(): Promise<void> {
    const ping = await askServer(this.#dataFolder, 'ping', {}).catch(() => null);
    if (ping !== null) return;
    if (process.platform !== 'win32') {
      const folder = join(this.#path, '..');
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      chmodSync(folder, 0o700);
      // Nothing answers, so a killed process left the file behind.
      rmSync(this.#path, { force: true });
    }
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error: Error & { code?: string }) => {
        // Another server with this folder was faster.
        if (error.code === 'EADDRINUSE') resolve();
        else reject(error);
      });
      this.#server.listen(this.#path, resolve);
    });
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

async function answer(
  incoming: AsyncIterable<Buffer>,
  run: (call: AdminCall) => Promise<unknown>,
): Promise<AdminReply> {
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of incoming) {
      bytes += chunk.length;
      if (bytes > CALL_BYTES_MAX)
        throw new Problem('request_too_large', {
          detail: `The input is larger than ${CALL_BYTES_MAX} bytes.`,
        });
      chunks.push(chunk);
    }
    const call = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Partial<AdminCall> | null;
    if (typeof call?.name !== 'string')
      throw new Problem('invalid_json', { detail: 'A call must be a JSON object with a name.' });
    return { result: await run({ input: {}, ...call, name: call.name }) };
  } catch (error) {
    const { code, param, detail } = asProblem(error);
    const expected = code !== 'internal_error';
    return { error: expected ? detail : (error as Error).message, code, param, expected };
  }
}
