/**
 * The local admin socket of a running server. The embedded database belongs to one process, so the command line sends
 * its commands to that process. Access to the socket file grants administration, so its folder is private.
 */

import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InputOf, OperationName, ResultOf } from '../contract/administration/admin-endpoints.ts';
import { sha256 } from '../kernel/digest.ts';
import { asProblem, Problem } from '../kernel/problem.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import type { Running } from '../kernel/running.ts';
import type { ServerStatus } from './server-status.ts';

/** A call as it arrives. Its input is unchecked JSON; the operation checks it. */
export interface AdminCall {
  readonly name: string;
  readonly input: unknown;
  /** Who runs the operation, for the audit log. */
  readonly actor?: string;
}

/** What a server answers about itself, besides the operations of administration. */
interface ServerAnswers {
  readonly ping: 'pong';
  readonly status: ServerStatus;
}

export type CallName = OperationName | keyof ServerAnswers;
export type CallInput<Name extends CallName> = Name extends OperationName
  ? InputOf<Name>
  : Record<never, never>;
export type CallResult<Name extends CallName> = Name extends OperationName
  ? ResultOf<Name>
  : Name extends keyof ServerAnswers
    ? ServerAnswers[Name]
    : never;

type AdminReply =
  | { result: unknown }
  | { error: string; code: ProblemCode; param: string | null; expected: boolean };

/** The operating system rejects longer socket paths. */
const PATH_CHARACTERS_MAX = 100;
const CALL_BYTES_MAX = 1024 * 1024;

export function socketPath(dataFolder: string): string {
  const mark = sha256(dataFolder).slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\tollgate-${mark}`;
  const inside = join(dataFolder, 'admin.sock');
  return inside.length <= PATH_CHARACTERS_MAX ? inside : join(tmpdir(), `tollgate-${mark}`, 'admin.sock');
}

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

/** Asks the server of a data folder; null when none is running there. */
export async function askServer<Name extends CallName>(
  dataFolder: string,
  name: Name,
  input: CallInput<Name>,
  actor?: string,
): Promise<{ result: CallResult<Name> } | null> {
  const call: AdminCall = { name, input, ...(actor !== undefined && { actor }) };
  return (await send(dataFolder, call)) as { result: CallResult<Name> } | null;
}

function send(dataFolder: string, call: AdminCall): Promise<{ result: unknown } | null> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { socketPath: socketPath(dataFolder), method: 'POST', path: '/' },
      (response) => {
        readReply(response).then(resolve, reject);
      },
    );
    outgoing.on('error', (error: Error & { code?: string }) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(null);
      else reject(error);
    });
    outgoing.end(JSON.stringify(call));
  });
}

async function readReply(response: AsyncIterable<unknown>): Promise<{ result: unknown }> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const reply = JSON.parse(Buffer.concat(chunks).toString('utf8')) as AdminReply;
  if ('result' in reply) return reply;
  const { error: detail, code, param } = reply;
  if (!reply.expected) throw new Error(detail);
  throw new Problem(code, { detail, ...(param !== null && { param }) });
}
