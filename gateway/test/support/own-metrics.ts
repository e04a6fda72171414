/** The metrics of a gateway without a gateway, to know their names. */
import { Metrics } from '../../src/telemetry/metrics.ts';

export function ownMetrics(): Metrics {
  const none = (): number => 0;
  return new Metrics({
    build: { version: '0.0.0', engine: 'embedded' },
    ...{
      inFlight: none,
      unread: none,
      openRoutes: none,
      queued: none,
      callersHeldBack: none,
      redisAway: none,
      logFollowers: none,
    },
    ...{ unmatchedMarkup: none },
    bytes: () => ({ held: 0, waiting: 0, refused: 0 }),
    pendingCalls: () => null,
    purses: {
      kinds: () => [],
      asked: none,
      activity: () => ({
        ...{ holds: 0, oldestHoldMs: 0 },
        ...{ recallsSent: 0, recallsAnswered: 0, slicesFolded: 0 },
      }),
    },
    leftCalls: () => ({ calls: 0, durable: 0 }),
    repeatable: () => ({ running: 0, heldBytes: 0 }),
    breakers: () => [],
    backlog: () => Promise.resolve(null),
  });
}
