/**
 * Fetches media from the public internet for a caller. The connection goes to an address that was checked, whatever
 * the name resolves to a moment later; every redirect is checked too; nothing of ours is sent, and nothing is
 * decompressed.
 */
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { AddressGuard, AddressWanted, CheckedAddress } from './address-guard.ts';
import type { Proxies } from './proxies.ts';
import { TransferClient, type TransferReply } from './transfer.ts';
import { UpstreamFailure } from './upstream-call.ts';

export interface FetchLimits {
  readonly bytesMax: number;
  /** In total, including redirects. */
  readonly totalMs: number;
}

export interface FetchTools {
  readonly guard: Pick<AddressGuard, 'check'>;
  readonly clock: Clock;
  readonly proxies?: Proxies;
}

const REDIRECTS_MAX = 3;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

export interface FetchWanted extends AddressWanted {
  readonly limits: FetchLimits;
  readonly signal?: AbortSignal;
}

/** Returns the bytes at an address. Throws a Problem that names the field. */
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

/** The same in pieces, each awaited before the next is read. Errors of `onPiece` are thrown unchanged. */
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
      const answer = await ask(checked, { signal, limits, tools });
      const { status } = answer;
      if (status === 200) return await readAll(answer, wanted, onPiece);
      answer.discard();
      const { location } = answer.headers;
      const moved =
        REDIRECTS.includes(status) && location !== undefined && URL.canParse(location, checked.url);
      if (!moved) throw refused(param, `could not be fetched: its server answered with status ${status}`);
      next = new URL(location, checked.url).href;
    }
    throw refused(param, `is redirected more than ${REDIRECTS_MAX} times`);
  } catch (error) {
    if (error instanceof Problem || thrownHere) throw error;
    const slow = late.signal.aborted || (error instanceof UpstreamFailure && error.kind === 'timeout');
    const why = slow ? 'its server took too long' : 'its server closed the connection or is unreachable';
    throw refused(param, `could not be fetched: ${why}`, error);
  } finally {
    cancel();
  }
}

async function ask(
  checked: CheckedAddress,
  { signal, limits, tools }: { signal: AbortSignal; limits: FetchLimits; tools: FetchTools },
): Promise<TransferReply> {
  const { url } = checked;
  const client = publicClient(checked, limits.totalMs, tools);
  const headers = { accept: '*/*', 'user-agent': 'tollgate' };
  return await client.send({ method: 'GET', path: `${url.pathname}${url.search}`, headers, signal });
}

/** Connects to the addresses that were checked, and to no others. */
export function publicClient(
  { url, addresses }: CheckedAddress,
  totalMs: number,
  tools: FetchTools,
): TransferClient {
  return new TransferClient({
    baseUrl: url.origin,
    addresses,
    clock: tools.clock,
    ...(tools.proxies !== undefined && { proxies: tools.proxies }),
    connectTimeoutMs: totalMs,
    silenceTimeoutMs: totalMs,
    callTotalMs: totalMs,
    transferTotalMs: totalMs,
  });
}

async function readAll(
  answer: TransferReply,
  { param, limits }: FetchWanted,
  onPiece: (piece: Buffer) => Promise<void>,
): Promise<void> {
  const { bytesMax } = limits;
  let bytes = 0;
  for await (const piece of answer.pieces()) {
    bytes += piece.length;
    // Leaving the loop closes the connection.
    if (bytes > bytesMax) throw refused(param, `is larger than ${bytesMax} bytes`);
    await onPiece(piece);
  }
}

function refused(param: string, why: string, cause?: unknown): Problem {
  return new Problem('invalid_parameter', { detail: `${param} ${why}.`, param, cause });
}
