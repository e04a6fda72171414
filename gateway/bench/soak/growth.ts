/** Whether a figure grows: a line through its samples after the warm-up, and the bound for what it may rise. Pure. */

/** The first part of a run fills caches and pools, and lets the engine compile. */
const WARM_UP_PART = 1 / 3;

export interface GrowthBound {
  /** A rise below this is noise, whatever the figure is. */
  readonly least: number;
  /** The same as a part of the median. */
  readonly part: number;
}

export interface Growth {
  readonly median: number;
  /** What the line rises from the end of the warm-up to the end of the run; negative if it falls. */
  readonly rise: number;
  readonly riseMax: number;
  readonly grows: boolean;
}

/** Of samples at equal intervals, the oldest first. */
export function growthOf(samples: readonly number[], { least, part }: GrowthBound): Growth {
  const measured = samples.slice(Math.floor(samples.length * WARM_UP_PART));
  const median = measured.toSorted((a, b) => a - b)[measured.length >> 1] ?? 0;
  const rise = slopeOf(measured) * Math.max(0, measured.length - 1);
  const riseMax = Math.max(least, part * median);
  return { median, rise, riseMax, grows: rise > riseMax };
}

/** By least squares, per sample. */
function slopeOf(samples: readonly number[]): number {
  const middle = (samples.length - 1) / 2;
  const mean = samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
  let [covariance, variance] = [0, 0];
  for (const [index, sample] of samples.entries()) {
    covariance += (index - middle) * (sample - mean);
    variance += (index - middle) ** 2;
  }
  return variance === 0 ? 0 : covariance / variance;
}
