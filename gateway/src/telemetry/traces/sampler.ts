/** Which traces are recorded, as `OTEL_TRACES_SAMPLER` says. */
import type { TraceParent } from './traceparent.ts';

export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof samplerNames)[number];

export interface SamplerSettings {
  readonly name: SamplerName;
  /** The share of traces for `…traceidratio`, 0 to 1. */
  readonly ratio: number;
}

/** The digits of a trace id that decide: the last 13, which a number holds exactly. */
const DIGITS = 13;
const SCALE = 16 ** DIGITS;

export function isSampled(
  { name, ratio }: SamplerSettings,
  traceId: string,
  parent: TraceParent | null,
): boolean {
  if (parent !== null && name.startsWith('parentbased_')) return parent.sampled;
  if (name.endsWith('always_on')) return true;
  if (name.endsWith('always_off')) return false;
  // The same trace gets the same decision in every process.
  return Number.parseInt(traceId.slice(-DIGITS), 16) < ratio * SCALE;
}
