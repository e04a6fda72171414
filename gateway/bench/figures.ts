/** Samples made into the figures that are shown. Pure. */
import type { Sample } from './measure.ts';

/** Medians over the rounds. */
export interface Figures {
  readonly name: string;
  readonly callsPerSecond: number;
  readonly cpuUsPerCall: number;
  readonly cpuUsRange: readonly [number, number];
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly firstFrameP50Ms: number;
  readonly firstFrameP99Ms: number;
  readonly upstreamUsPerCall: number;
  readonly databaseUsPerCall: number;
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
}

export function figuresOf(name: string, samples: readonly Sample[]): Figures {
  const perCall = (of: (sample: Sample) => number): number[] =>
    samples.map((sample) => of(sample) / Math.max(1, sample.calls));
  const cpu = perCall((sample) => sample.cpuUs);
  return {
    name,
    callsPerSecond: median(samples.map((sample) => (sample.calls * 1000) / sample.elapsedMs)),
    cpuUsPerCall: median(cpu),
    cpuUsRange: [Math.min(...cpu), Math.max(...cpu)],
    p50Ms: median(samples.map((sample) => sample.p50Ms)),
    p99Ms: median(samples.map((sample) => sample.p99Ms)),
    firstFrameP50Ms: median(samples.map((sample) => sample.firstFrameP50Ms)),
    firstFrameP99Ms: median(samples.map((sample) => sample.firstFrameP99Ms)),
    upstreamUsPerCall: median(perCall((sample) => sample.upstreamCpuUs)),
    databaseUsPerCall: median(perCall((sample) => sample.databaseCpuUs)),
    delayP99Ms: median(samples.map((sample) => sample.delayP99Ms)),
    delayMaxMs: median(samples.map((sample) => sample.delayMaxMs)),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
