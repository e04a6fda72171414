/** Calls the console API of a server. */
import type { Flags } from '../../app/settings.ts';
import type { Environment } from '../../yaml/expand-text.ts';
import { AnswerError, readAnswerError } from './answer-error.ts';
import { localUrl } from './gateway-client.ts';
import { readUrl } from './read-url.ts';

const ANSWER_MS_MAX = 30_000;

export interface ConsoleCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends the call once more if the connection breaks before an answer. So a call that changes something needs an
 * Idempotency-Key, which keeps the server from carrying it out twice; without one it is sent once.
 */
export async function callConsole<Result>(url: string, call: ConsoleCall): Promise<Result> {
  const isRepeatable = call.method === 'GET' || call.headers?.['idempotency-key'] !== undefined;
  const reply = await send(url, call).catch(async (error: unknown) => {
    if (!isRepeatable || !isBroken(error)) throw noAnswer(url, error);
    return await send(url, call).catch((again: unknown) => {
      throw noAnswer(url, again);
    });
  });
  if (reply.ok) return (await reply.json()) as Result;
  const target = reply.headers.get('location');
  if (target !== null) throw new AnswerError(`${url} redirects to ${target}. Set that address with --url.`);
  throw await readAnswerError(reply, `${url} answered ${reply.status}. Is it a Tollgate server?`);
}

/** Resolves when the whole answer has arrived, so that an answer that is cut off counts as none. */
async function send(url: string, call: ConsoleCall): Promise<Response> {
  const reply = await fetch(new URL(call.path, url), {
    method: call.method,
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
    // A session must not be sent to another server.
    redirect: 'manual',
    headers: {
      'user-agent': 'tollgate-cli',
      ...call.headers,
      ...(call.body && { 'content-type': 'application/json' }),
      ...(call.token && { authorization: `Bearer ${call.token}` }),
    },
    ...(call.body && { body: JSON.stringify(call.body) }),
  });
  const { status, headers } = reply;
  const bytes = await reply.arrayBuffer();
  return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers });
}

const BROKEN = /^(?:ECONNRESET|EPIPE|ETIMEDOUT|UND_ERR_(?:SOCKET|ABORTED|HEADERS_TIMEOUT|BODY_TIMEOUT))$/;

/** The request was sent, and may have been carried out. */
function isBroken(error: unknown): boolean {
  const { name, cause } = error as Error & { cause?: { code?: string } };
  return name === 'TimeoutError' || BROKEN.test(cause?.code ?? '');
}

function noAnswer(url: string, error: unknown): AnswerError {
  if (isBroken(error))
    return new AnswerError(
      `The connection to ${url} broke before an answer arrived. If the command changes something, check whether ` +
        'it was carried out before you repeat it.',
    );
  const { cause } = error as { cause?: Error & { code?: string } };
  const reason = cause?.message && cause.code !== 'ECONNREFUSED' ? ` (${cause.message})` : '';
  return new AnswerError(`No server answers at ${url}${reason}. Start it, or set its address with --url.`);
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
