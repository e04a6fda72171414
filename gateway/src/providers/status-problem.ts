/** What the status of a provider's answer says, where its words say nothing more particular. Pure. */
import { Problem } from '../kernel/problem.ts';

export interface Complaint {
  /** Masked; empty where it said nothing. */
  readonly said: string;
  readonly cause: Error;
  readonly param?: string;
  readonly retryAfterMs?: number;
}

export function statusProblem(status: number, { said, ...told }: Complaint): Problem {
  const { cause } = told;
  switch (status) {
    case 400:
    case 422:
      return new Problem('invalid_parameter', {
        detail: said || 'The provider refused the request.',
        ...told,
      });
    case 413:
      return new Problem('request_too_large', {
        detail: 'The request is larger than the provider takes.',
        cause,
      });
    case 408:
    case 504:
      return new Problem('upstream_timeout', { cause });
    case 429:
      return new Problem('rate_limit_exceeded', {
        detail: 'The provider of this model is at its limit.',
        ...told,
      });
    case 503:
    case 529:
      return new Problem('upstream_unavailable', {
        detail: 'The provider of this model is overloaded.',
        cause,
      });
    case 401:
    case 402:
    case 403:
      return operatorsFault(cause);
    default:
      return new Problem('upstream_error', { cause });
  }
}

export function operatorsFault(cause: Error): Problem {
  return new Problem('upstream_error', {
    detail:
      'The provider did not accept the credentials of the gateway. Contact your operator with this error_ref.',
    cause,
  });
}
