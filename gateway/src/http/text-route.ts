/** What every route for text calls needs. */
import type { OpenLimits } from '../metering/open-limits.ts';
import type { KeepAliveTimer } from './keep-alive-timer.ts';
import type { BodyLimits } from './read-body.ts';
import type { FollowAnswerOptions } from './send-followed.ts';

export interface TextRouteOptions {
  readonly body: BodyLimits;
  readonly keepAlive: KeepAliveTimer;
  readonly openStreams: OpenLimits;
  /** For requests with an Idempotency-Key. */
  readonly once: FollowAnswerOptions;
}
