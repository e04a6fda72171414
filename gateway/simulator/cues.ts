/**
 * How a caller steers the play: request headers, or the same in the prompt as `[[pace 20]]`, for
 * callers behind something that passes no foreign headers on.
 */
import { oneHeader, type RequestHeaders } from './dialect.ts';

export interface Cues {
  readonly fault: string | null;
  readonly paceMs: number | null;
  readonly chunks: number | null;
  readonly delayMs: number | null;
  readonly bytes: number | null;
}

const CUE = /\[\[(fault|pace|chunks|delay|bytes) ([\w.-]+)\]\]/g;
/** The longest delay a timer takes. */
const NUMBER_MAX = 2_147_483_647;
const CHUNKS_MAX = 100_000;

export function readCues(headers: RequestHeaders, asked: string): Cues {
  const said = asked.includes('[[') ? cuesIn(asked) : null;
  return {
    fault: oneHeader(headers, 'x-sim-fault') ?? said?.get('fault') ?? null,
    paceMs: number(oneHeader(headers, 'x-sim-pace-ms') ?? said?.get('pace')),
    chunks: countOf(oneHeader(headers, 'x-sim-chunks') ?? said?.get('chunks')),
    delayMs: number(oneHeader(headers, 'x-sim-delay-ms') ?? said?.get('delay')),
    bytes: number(oneHeader(headers, 'x-sim-bytes') ?? said?.get('bytes')),
  };
}

function cuesIn(asked: string): Map<string, string> {
  return new Map([...asked.matchAll(CUE)].map((match) => [match[1] as string, match[2] as string]));
}

function countOf(value: string | null | undefined): number | null {
  const count = number(value);
  return count === null || count === 0 ? null : Math.min(count, CHUNKS_MAX);
}

function number(value: string | null | undefined): number | null {
  const parsed = value == null ? Number.NaN : Number(value);
  return parsed >= 0 && parsed <= NUMBER_MAX ? Math.floor(parsed) : null;
}
