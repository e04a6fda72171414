/** Asks the server that runs on a data folder, through its local admin socket (`admin-socket.ts`). */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InputOf, OperationName, ResultOf } from '../contract/administration/admin-endpoints.ts';
import { sha256 } from '../kernel/digest.ts';
import { Problem } from '../kernel/problem.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import type { ArchiveInput, ArchiveReport } from '../maintenance/archive-month.ts';
import type { RemovedRows } from '../maintenance/remove-due.ts';
import type { KnownCallers } from './check-markup.ts';
import type { ServerStatus } from './server-status.ts';
import type { BackupSnapshot } from './snapshot-folder.ts';

/** A call as it arrives. Its input is unchecked JSON; the operation checks it. */
export interface AdminCall {
  readonly name: string;
  readonly input: unknown;
  /** Who runs the operation, for the audit log. */
  readonly actor?: string;
}

/** What a server does besides the operations of administration. */
interface ServerCalls {
  readonly ping: { input: Record<never, never>; result: 'pong' };
  readonly status: { input: Record<never, never>; result: ServerStatus };
  /** Whom markup can name; for a command that cannot open the embedded database itself. */
  readonly callers: { input: { readonly keys: readonly string[] }; result: KnownCallers };
  /** Only with an embedded database, which no other process can read. */
  readonly 'backup.begin': { input: Record<never, never>; result: BackupSnapshot };
  readonly gc: { input: { dryRun: boolean }; result: readonly RemovedRows[] };
  readonly archive: { input: ArchiveInput; result: ArchiveReport };
  readonly 'backup.end': { input: { hold: string }; result: null };
}

export type CallName = OperationName | keyof ServerCalls;
export type CallInput<Name extends CallName> = Name extends OperationName
  ? InputOf<Name>
  : Name extends keyof ServerCalls
    ? ServerCalls[Name]['input']
    : never;
export type CallResult<Name extends CallName> = Name extends OperationName
  ? ResultOf<Name>
  : Name extends keyof ServerCalls
    ? ServerCalls[Name]['result']
    : never;

export type AdminReply =
  | { result: unknown }
  | { error: string; code: ProblemCode; param: string | null; expected: boolean };

/** The operating system rejects longer socket paths. */
const PATH_CHARACTERS_MAX = 100;

export function socketPath(dataFolder: string): string {
  const mark = sha256(dataFolder).slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\tollgate-${mark}`;
  const inside = join(dataFolder, 'admin.sock');
  return inside.length <= PATH_CHARACTERS_MAX ? inside : join(tmpdir(), `tollgate-${mark}`, 'admin.sock');
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
    // An import of it would also load Node's fetch, a third of the time in which a command starts.
    const outgoing = process
      .getBuiltinModule('node:http')
      .request({ socketPath: socketPath(dataFolder), method: 'POST', path: '/' }, (response) => {
        readReply(response).then(resolve, reject);
      });
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
