/** What is wrong with a stream that ended before its answer was complete. */
import type { Model } from '../catalog/model.ts';
import { Problem } from '../kernel/problem.ts';
import type { UpstreamFailure } from '../net/upstream-call.ts';
import type { TextProvider } from '../providers/provider.ts';
import type { StreamFault } from '../text/text-event.ts';
import { failureProblem } from './failed-attempt.ts';
import { providerProblem } from './provider-problem.ts';
import type { OpenedAnswer } from './upstream-request.ts';

export interface EndedStream {
  readonly fault: StreamFault | null;
  readonly failure: UpstreamFailure | null;
  readonly timedOut: boolean;
  /** A frame was too long. */
  readonly tooLong: boolean;
}

export function streamProblem(
  { fault, failure, timedOut, tooLong }: EndedStream,
  { api, route }: OpenedAnswer<TextProvider>,
  model: Model,
): Problem {
  if (timedOut)
    return new Problem('upstream_timeout', {
      detail: 'The stream exceeded the time limit for streams. Ask for a shorter answer.',
    });
  if (fault?.reason === 'provider_error') {
    const said = api.problem(500, Buffer.from(JSON.stringify({ error: fault.error })));
    return providerProblem(said, { route, model });
  }
  if (fault !== null || tooLong) {
    return new Problem('upstream_error', {
      detail: 'The provider sent an invalid stream event. Send the request again later.',
    });
  }
  if (failure !== null) return failureProblem(failure);
  return new Problem('upstream_error', {
    detail: 'The provider ended the stream before the answer was complete. Send the request again later.',
  });
}
