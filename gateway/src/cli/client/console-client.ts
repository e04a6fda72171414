/** Calls the console API of a server. */
import type { Flags } from '../../app/settings.ts';
import type { Environment } from '../../catalog/config-file.ts';
import type { ErrorBody } from '../../contract/error-body.ts';
import { localUrl } from './gateway-client.ts';
import { readUrl } from './read-url.ts';

/** The server answered with an error, or not at all. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';
  /** Null if there was no answer. */
  readonly status: number | null;

  constructor(message: string, status: number | null) {
    super(message);
    this.status = status;
  }
}

const ANSWER_MS_MAX = 30_000;

export interface ConsoleCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function callConsole<Result>(url: string, call: ConsoleCall): Promise<Result> {
  const reply = await fetch(new URL(call.path, url), {
    method: call.method,
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
    redirect: 'error',
    headers: {
      'user-agent': 'tollgate-cli',
      ...call.headers,
      ...(call.body && { 'content-type': 'application/json' }),
      ...(call.token && { authorization: `Bearer ${call.token}` }),
    },
    ...(call.body && { body: JSON.stringify(call.body) }),
  }).catch(() => {
    throw new ConsoleError(`No server answers at ${url}. Start it, or set its address with --url.`, null);
  });
  const answer = (await reply.json().catch(() => ({}))) as Result & Partial<ErrorBody>;
  if (reply.ok) return answer;
  const detail = answer.detail ?? `${url} answered ${reply.status}. Is it a Tollgate server?`;
  throw new ConsoleError(detail, reply.status);
}

/** The server that is named, or else the one that runs on this data folder, or else the default address. */
export async function serverUrl(
  address: string | undefined,
  flags: Flags,
  env: Environment,
): Promise<string> {
  const named = address ?? env.TOLLGATE_URL;
  return named ? new URL(readUrl(named)).origin : await localUrl(flags);
}
