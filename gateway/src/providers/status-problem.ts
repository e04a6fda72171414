/** Maps the HTTP status of an error answer to a Problem, when the body does not say more. Pure. */
import { Problem } from '../kernel/problem.ts';

export interface ProviderComplaint {
  /** The provider's message, masked; empty if there is none. */
  readonly message: string;
  readonly cause: Error;
  readonly param?: string;
  readonly retryAfterMs?: number;
}

export function statusProblem(status: number, { message, ...details }: ProviderComplaint): Problem {
  const { cause } = details;
  switch (status) {
    case 400:
    case 422:
      return new Problem('invalid_parameter', {
        detail: message || 'The provider rejected the request.',
        ...details,
      });
    case 413:
      return new Problem('request_too_large', {
        detail: 'The request is larger than the provider accepts.',
        cause,
      });
    case 408:
    case 504:
      return new Problem('upstream_timeout', { cause });
    case 429:
      return new Problem('rate_limit_exceeded', {
        detail: 'The provider of this model has reached its rate limit. Retry later.',
        ...details,
      });
    case 503:
    case 529:
      return new Problem('upstream_unavailable', {
        detail: 'The provider of this model is overloaded. Retry later.',
        cause,
      });
    case 401:
    case 402:
    case 403:
      return operatorProblem(cause);
    default:
      return new Problem('upstream_error', { cause });
  }
}

export function operatorProblem(cause: Error): Problem {
  return new Problem('upstream_error', {
    detail:
      'The provider did not accept the credentials of the gateway. Contact your operator with this error_ref.',
    cause,
  });
}
