/** Counts the seconds of a video: as the provider reports, else as requested, else as measured. Pure. */
import type { JobUsage, VideoRequest } from '../contract/video.ts';

export interface MadeVideo {
  readonly request: Pick<VideoRequest, 'duration_seconds' | 'n'> | null;
  /** The seconds of all files together, as the provider reports. */
  readonly reported: number | null;
  /** How many files the provider made, and how many of them were copied. */
  readonly made: number;
  readonly delivered: number;
  /** The seconds of each copied file; null if the file does not say. */
  readonly measured: ReadonlyArray<number | null>;
}

/** Far above any job; a larger number is a mistake of the provider. */
const SECONDS_MAX = 100_000;
/**
 * A report may be so many times what was requested or what the files have. The bounds are wide: providers round up, and count
 * what they extend.
 */
const TOLERANCE = 4;
const SPARE_SECONDS = 60;

export const usageSources = ['provider', 'asked', 'measured'] as const;
export type VideoUsageSource = (typeof usageSources)[number];

export interface CountedUsage extends JobUsage {
  readonly source: VideoUsageSource;
}

/** Null when the usage is unknown. */
export function countUsage({ request, reported, made, delivered, measured }: MadeVideo): CountedUsage | null {
  const asked = request?.duration_seconds ?? null;
  // Files that could not be copied are not charged.
  const share = made === 0 ? 1 : delivered / made;
  const requested = asked === null ? null : asked * Math.max(made, request?.n ?? 1);
  const counted: Readonly<Record<VideoUsageSource, number | null>> = {
    provider: isBelievable(reported, [requested, sumOf(measured)]) ? reported * share : null,
    // A failed job that is charged counts everything that was requested.
    asked: asked === null ? null : asked * (made === 0 ? (request?.n ?? 1) : delivered),
    measured: sumOf(measured),
  };
  const source = usageSources.find((from) => counted[from] !== null);
  if (source === undefined) return null;
  return { videos: delivered, seconds: Math.round((counted[source] ?? 0) * 1_000) / 1_000, source };
}

/** Null if there is none, or one of them is unknown. */
function sumOf(lengths: ReadonlyArray<number | null>): number | null {
  if (lengths.length === 0) return null;
  return lengths.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0);
}

/** Null is unknown, and a job of which nothing is known is bounded by what any job can have. */
function isBelievable(seconds: number | null, known: ReadonlyArray<number | null>): seconds is number {
  if (seconds === null || !Number.isFinite(seconds) || seconds < 0) return false;
  const lengths = known.filter((length) => length !== null);
  if (lengths.length === 0) return seconds <= SECONDS_MAX;
  return seconds <= Math.min(Math.max(...lengths) * TOLERANCE + SPARE_SECONDS, SECONDS_MAX);
}
