/** What a trace needs to know of a call, beyond what its record has. */
import type { UpstreamRoute } from '../catalog/model.ts';
import type { BodySink } from '../net/upstream-call.ts';
import type { RequestTrace } from '../telemetry/trace.ts';

/** Where answers name their model. */
const START_BYTES = 4_096;
const MODEL = /"model(?:Version)?"\s*:\s*"([\w.:/@-]{1,100})"/;

/**
 * Reports the model that the answer names, if it begins with the name that was asked for, such as a dated version of it.
 * Anything else may be something that the model wrote.
 */
export function noteModel(trace: RequestTrace | null, start: Buffer | undefined, route: UpstreamRoute): void {
  if (!trace?.sampled || start === undefined) return;
  const named = MODEL.exec(start.toString('latin1', 0, START_BYTES))?.[1];
  if (named?.startsWith(route.upstreamModel)) trace.answeredBy(named);
}

/** The same for a stream: looks at its first bytes only. */
export function notingModel(sink: BodySink, trace: RequestTrace | null, route: UpstreamRoute): BodySink {
  if (!trace?.sampled) return sink;
  let first = true;
  return {
    data(chunk) {
      if (first) noteModel(trace, chunk, route);
      first = false;
      sink.data(chunk);
    },
    end: () => sink.end(),
    fail: (failure) => sink.fail(failure),
  };
}
