/** How much video was made: as its provider counts, else as was asked, else as was measured. Pure. */
import type { JobUsage, VideoRequest } from '../contract/video.ts';

export interface MadeVideo {
  readonly request: Pick<VideoRequest, 'duration_seconds' | 'n'> | null;
  /** Of all files together, as the provider says. */
  readonly reported: number | null;
  /** How many files it made, and those of them that could be had. */
  readonly made: number;
  readonly delivered: number;
  /** Of each of those; null where the film does not say. */
  readonly measured: ReadonlyArray<number | null>;
}

/** No job comes near this; a number above it is a provider's mistake, not a bill. */
const SECONDS_MAX = 100_000;

export const usageSources = ['provider', 'asked', 'measured'] as const;
export type UsageSource = (typeof usageSources)[number];

export interface CountedUsage extends JobUsage {
  readonly source: UsageSource;
}

/** Null when nobody knows. */
export function countUsage({ request, reported, made, delivered, measured }: MadeVideo): CountedUsage | null {
  const asked = request?.duration_seconds ?? null;
  // Files that cannot be had are not paid for.
  const share = made === 0 ? 1 : delivered / made;
  const counted: Readonly<Record<UsageSource, number | null>> = {
    provider: isPlausible(reported) ? reported * share : null,
    // Of one that failed all that was asked for is meant.
    asked: asked === null ? null : asked * (made === 0 ? (request?.n ?? 1) : delivered),
    measured: sumOf(measured),
  };
  const source = usageSources.find((from) => counted[from] !== null);
  if (source === undefined) return null;
  return { videos: delivered, seconds: Math.round((counted[source] ?? 0) * 1_000) / 1_000, source };
}

/** Null as soon as one of them is not known, or there is none. */
function sumOf(lengths: ReadonlyArray<number | null>): number | null {
  if (lengths.length === 0) return null;
  return lengths.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0);
}

function isPlausible(seconds: number | null): seconds is number {
  return seconds !== null && Number.isFinite(seconds) && seconds >= 0 && seconds <= SECONDS_MAX;
}
