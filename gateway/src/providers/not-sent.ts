import { Problem } from '../kernel/problem.ts';
import { UpstreamFailure } from '../net/upstream-call.ts';

/** The request was not sent completely, so the provider cannot have created anything. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  constructor(cause: unknown) {
    super('the request was not sent', { cause });
  }
}

/** The error to report for a failed create request. `whole`: its last bytes were handed to the connection. */
export function sendFailure(error: unknown, { whole }: { whole: boolean }): unknown {
  if (error instanceof Problem) return error;
  const unconnected = error instanceof UpstreamFailure && error.kind === 'connect';
  return whole && !unconnected ? error : new NotSent(error);
}
