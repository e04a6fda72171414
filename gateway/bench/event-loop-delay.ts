/** The delay of a gateway's event loop, as its metrics report it. */
import type { Target } from './target.ts';

export interface EventLoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
}

/**
 * Since the last look, which each look begins anew; NaN where a target has no metrics. A timer of 10 ms measures it, so
 * an idle process shows 10 to 11 ms.
 */
export async function eventLoopDelay({ metricsUrl }: Target): Promise<EventLoopDelay> {
  if (metricsUrl === undefined) return { p99Ms: Number.NaN, maxMs: Number.NaN };
  const text = await (await fetch(metricsUrl.replace('localhost', '127.0.0.1'))).text();
  const read = (name: string): number =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN) *
    1000;
  return { p99Ms: read('p99'), maxMs: read('max') };
}
