/**
 * Fetches something from the public internet for a caller. The connection goes to an address that was
 * checked, whatever the name says a moment later; every redirect is checked anew; nothing of ours is sent.
 */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { AddressGuard, AddressWanted, CheckedAddress } from './address-guard.ts';

export interface FetchLimits {
  readonly bytesMax: number;
  /** For all of it, redirects among it. */
  readonly totalMs: number;
}

export interface FetchTools {
  readonly guard: Pick<AddressGuard, 'check'>;
  readonly clock: Clock;
}

const REDIRECTS_MAX = 3;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

export interface FetchWanted extends AddressWanted {
  readonly limits: FetchLimits;
  readonly signal?: AbortSignal;
}

/** The bytes at an address, where they are known to be few. Throws a Problem that names the field. */
export async function fetchPublic(text: string, wanted: FetchWanted, tools: FetchTools): Promise<Buffer> {
  const pieces: Buffer[] = [];
  await fetchPublicTo(text, wanted, {
    ...tools,
    async onPiece(piece) {
      pieces.push(piece);
    },
  });
  return Buffer.concat(pieces);
}

/** The same in pieces, each awaited before the next is read; what `onPiece` throws is thrown as it is. */
export async function fetchPublicTo(
  text: string,
  wanted: FetchWanted,
  tools: FetchTools & { readonly onPiece: (piece: Buffer) => Promise<void> },
): Promise<void> {
  const { param, limits } = wanted;
  let thrownHere = false;
  const onPiece = async (piece: Buffer): Promise<void> => {
    try {
      await tools.onPiece(piece);
    } catch (error) {
      thrownHere = true;
      throw error;
    }
  };
  const late = new AbortController();
  const cancel = tools.clock.after(limits.totalMs, () => late.abort());
  const signal = wanted.signal === undefined ? late.signal : AbortSignal.any([wanted.signal, late.signal]);
  try {
    let next = text;
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
      const checked = await tools.guard.check(next, wanted);
      const answer = await ask(checked, signal);
      const { statusCode: status = 0 } = answer;
      if (status === 200) return await readAll(answer, wanted, onPiece);
      answer.destroy();
      const { location } = answer.headers;
      const moved =
        REDIRECTS.includes(status) && location !== undefined && URL.canParse(location, checked.url);
      if (!moved) throw refused(param, `could not be fetched: its server answered with status ${status}`);
      next = new URL(location, checked.url).href;
    }
    throw refused(param, `is redirected more than ${REDIRECTS_MAX} times`);
  } catch (error) {
    if (error instanceof Problem || thrownHere) throw error;
    const why = late.signal.aborted
      ? 'its server took too long'
      : 'its server broke off or cannot be reached';
    throw refused(param, `could not be fetched: ${why}`, error);
  } finally {
    cancel();
  }
}

function ask({ url, addresses }: CheckedAddress, signal: AbortSignal): Promise<IncomingMessage> {
  const open = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = open(url, {
      agent: false,
      headers: {
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': 'tollgate',
        connection: 'close',
      },
      signal,
      ...(addresses !== null && { lookup: pinnedTo(addresses) }),
    });
    request.on('error', reject);
    // Also where it ends without an error: an answer in another protocol (101) is neither.
    request.on('close', () => reject(new Error('closed without an answer')));
    request.once('response', resolve);
    request.end();
  });
}

/** Only ever asked for the host of the request, whose addresses these are. */
export function pinnedTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_, options, callback) => {
    const [first] = all;
    if (first === undefined) callback(new Error('no address'), '', 4);
    else if (options.all) callback(null, all);
    else callback(null, first.address, first.family);
  };
}

async function readAll(
  answer: IncomingMessage,
  { param, limits }: FetchWanted,
  onPiece: (piece: Buffer) => Promise<void>,
): Promise<void> {
  const { bytesMax } = limits;
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length;
    // To leave the loop ends the connection.
    if (bytes > bytesMax) throw refused(param, `is larger than ${bytesMax} bytes`);
    await onPiece(piece);
  }
}

function refused(param: string, why: string, cause?: unknown): Problem {
  return new Problem('invalid_parameter', { detail: `${param} ${why}.`, param, cause });
}
