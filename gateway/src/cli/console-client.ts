/** Speaks to the console API of a server, wherever it runs. */
import { askServer } from '../app/admin-socket.ts';
import type { ServerStatus } from '../app/serve.ts';
import type { Environment } from '../catalog/config-file.ts';
import type { ErrorBody } from '../contract/error-body.ts';
import { type CommonFlags, dataFolderOf } from './administer.ts';
import { DEFAULT_URL, readUrl } from './read-url.ts';

/** The server said no, or nothing. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';
  /** Null: nothing answered. */
  readonly status: number | null;

  constructor(message: string, status: number | null) {
    super(message);
    this.status = status;
  }
}

const ANSWER_MS_MAX = 30_000;

export interface ConsoleCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly token?: string;
}

export async function callConsole<Result>(url: string, call: ConsoleCall): Promise<Result> {
  const reply = await fetch(new URL(call.path, url), {
    method: call.method,
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
    redirect: 'error',
    headers: {
      'user-agent': 'tollgate-cli',
      ...(call.body && { 'content-type': 'application/json' }),
      ...(call.token && { authorization: `Bearer ${call.token}` }),
    },
    ...(call.body && { body: JSON.stringify(call.body) }),
  }).catch(() => {
    throw new ConsoleError(
      `Nothing answers at ${url}. Start the server, or say where it is with --url.`,
      null,
    );
  });
  const answer = (await reply.json().catch(() => ({}))) as Result & Partial<ErrorBody>;
  if (reply.ok) return answer;
  const detail = answer.detail ?? `${url} answered ${reply.status}; is that a Tollgate?`;
  throw new ConsoleError(detail, reply.status);
}

/** The server to speak to: the one named, else the one that runs on this data folder, else the usual place. */
export async function serverUrl(flags: CommonFlags & { url?: string }, env: Environment): Promise<string> {
  const named = flags.url ?? env.TOLLGATE_URL;
  if (named) return new URL(readUrl(named)).origin;
  const dataFolder = dataFolderOf(flags);
  const running = await askServer(dataFolder, { command: 'status', args: {} }).catch(() => null);
  return running === null ? DEFAULT_URL : (running.result as ServerStatus).baseUrl;
}
