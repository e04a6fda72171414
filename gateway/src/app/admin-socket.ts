/**
 * The local admin socket of a running server. The embedded database belongs to one process, so the command line sends
 * its commands to that process. Access to the socket file grants administration, so its folder is private. With
 * PostgreSQL several processes may share a data folder: one of them has the socket, and when it stops another takes it.
 */

import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { type FolderLock, holdLock } from '../database/folder-lock.ts';
import { asProblem, Problem } from '../kernel/problem.ts';
import { RepeatingTask } from '../kernel/repeating-task.ts';
import type { Running } from '../kernel/running.ts';
import { type Clock, pause } from '../kernel/time.ts';
import { type AdminCall, type AdminReply, askServer, socketPath } from './ask-server.ts';

const CALL_BYTES_MAX = 1024 * 1024;
/** How often a process without the socket tries to take it. */
const TAKE_MS = 1_000;
/** How long commands under way may take when the server stops. */
const FINISH_MS_MAX = 2_000;

export class AdminSocket implements Running {
  readonly #server: Server;
  readonly #path: string;
  readonly #dataFolder: string;
  readonly #clock: Clock;
  readonly #taking: RepeatingTask;
  #lock: FolderLock | null = null;

  constructor(dataFolder: string, clock: Clock, run: (call: AdminCall) => Promise<unknown>) {
    this.#dataFolder = dataFolder;
    this.#path = socketPath(dataFolder);
    this.#clock = clock;
    this.#taking = new RepeatingTask({ clock, everyMs: TAKE_MS, work: () => this.runOnce() });
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

  /** Listens, or waits until the process that listens has ended. */
  async start(): Promise<void> {
    await this.runOnce();
    this.#taking.start();
  }

  /** Takes the socket if no process has it. */
  async runOnce(): Promise<void> {
    if (this.#lock !== null) return;
    this.#makeFolder();
    const lock = this.#tryLock();
    if (lock === null) return;
    try {
      // A server of an older version has the socket without the lock.
      const ping = await askServer(this.#dataFolder, 'ping', {}).catch(() => null);
      if (ping === null) {
        await this.#listen();
        this.#lock = lock;
      }
    } finally {
      if (this.#lock === null) lock.release();
    }
  }

  async stop(): Promise<void> {
    await this.#taking.stop();
    if (this.#lock === null) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const waited = new AbortController();
    await Promise.race([closed, pause(this.#clock, FINISH_MS_MAX, waited.signal)]);
    waited.abort();
    this.#server.closeAllConnections();
    await closed;
    this.#lock.release();
    this.#lock = null;
  }

  #makeFolder(): void {
    const folder = dirname(this.#lockPath());
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (process.platform !== 'win32') chmodSync(folder, 0o700);
  }

  #lockPath(): string {
    const folder = process.platform === 'win32' ? this.#dataFolder : dirname(this.#path);
    return join(folder, 'admin.lock');
  }

  /** Null if another process has it, or if the file system knows no locks: commands then open the database themselves. */
  #tryLock(): FolderLock | null {
    try {
      return holdLock(this.#lockPath());
    } catch {
      return null;
    }
  }

  async #listen(): Promise<void> {
    // Nothing answers, so a killed process left the file behind.
    if (process.platform !== 'win32') rmSync(this.#path, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      // Exclusive: processes of one supervisor would otherwise share the socket.
      this.#server.listen({ path: this.#path, exclusive: true }, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
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
