/** How much video was made: as its provider counts, else as was asked, else as was measured. Pure. */
import type { JobUsage } from '../contract/video.ts';
import type { KeptRequest } from './video-jobs.store.ts';

export interface MadeVideo {
  readonly request: KeptRequest | null;
  /** Of all files together, as the provider says. */
  readonly told: number | null;
  /** How many files it made, and those of them that could be had. */
  readonly made: number;
  readonly delivered: number;
  /** Of each of those; null where the film does not say. */
  readonly measured: ReadonlyArray<number | null>;
}

/** No job comes near this; a number above it is a provider's mistake, not a bill. */
const SECONDS_MAX = 100_000;

/** Null when nobody knows. */
export function countUsage({ request, told, made, delivered, measured }: MadeVideo): JobUsage | null {
  const asked = request?.duration_seconds ?? null;
  // Files that cannot be had are not paid for.
  const share = made === 0 ? 1 : delivered / made;
  const counted = [
    isPlausible(told) ? told * share : null,
    asked === null ? null : asked * Math.max(delivered, made === 0 ? (request?.n ?? 1) : 0),
    measured.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one), 0),
  ].find((seconds) => seconds !== null);
  if (counted === undefined || counted === null) return null;
  return { videos: delivered, seconds: Math.round(counted * 1_000) / 1_000 };
}

function isPlausible(seconds: number | null): seconds is number {
  return seconds !== null && Number.isFinite(seconds) && seconds >= 0 && seconds <= SECONDS_MAX;
}
