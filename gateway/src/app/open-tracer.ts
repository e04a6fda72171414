/** Loads what records traces, only if the environment names a collector. */
import type { Clock } from '../kernel/time.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracer } from '../telemetry/trace.ts';
import type { TraceSettings } from './trace-settings.ts';
import { version } from './version.ts';

export type CreateTracer = (tools: { clock: Clock; log: Log; metrics: Metrics }) => Tracer;

export async function openTracer(settings: TraceSettings | null): Promise<CreateTracer | null> {
  if (settings === null) return null;
  const { OtlpTracer } = await import('../telemetry/traces/otlp-tracer.ts');
  const { headers, resource, ...rest } = settings;
  const { url, sampler } = rest;
  return ({ clock, log, metrics }) => {
    const { origin } = new URL(url);
    log.info('traces are sent', { to: origin, sampler: sampler.name });
    return new OtlpTracer({
      ...rest,
      clock,
      headers: Object.fromEntries(headers.map(([name, value]) => [name, value.reveal()])),
      source: { resource: { 'service.version': version, ...resource }, version },
      onEnded: (result, spans) => metrics.spansEnded(result, spans),
      onTrouble: (error) => {
        if (error === null) log.info('traces are sent again', { to: origin });
        else log.warn('traces cannot be sent; they are dropped', { to: origin, error });
      },
    });
  };
}
