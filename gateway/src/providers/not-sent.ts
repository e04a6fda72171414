import { Problem } from '../kernel/problem.ts';
import { UpstreamFailure } from '../net/upstream-call.ts';

/** The provider cannot have made what it was asked for: not all of the request left us. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  constructor(cause: unknown) {
    super('the request was not sent', { cause });
  }
}

/**
 * What a failed request says of itself. `whole`: its last bytes were handed to the connection, where they may
 * wait for it to come about.
 */
export function sendFailure(error: unknown, { whole }: { whole: boolean }): unknown {
  if (error instanceof Problem) return error;
  const unconnected = error instanceof UpstreamFailure && error.kind === 'connect';
  return whole && !unconnected ? error : new NotSent(error);
}
