/** Builds the client of Redis from the settings. */
import type { Clock } from '../kernel/time.ts';
import { Redis } from '../redis/redis.ts';
import type { Log } from '../telemetry/log.ts';
import type { Settings } from './settings.ts';

/** Null if no Redis is configured. Does not connect yet. */
export function openRedis({
  settings,
  clock,
  log,
}: {
  settings: Settings;
  clock: Clock;
  log: Log;
}): Redis | null {
  if (settings.redisUrl === null) return null;
  return new Redis({
    url: settings.redisUrl.reveal(),
    clock,
    onAway: (error) =>
      log.warn('Redis is unavailable: processes share their rate limit counts through the database', {
        error,
      }),
    onBack: () => log.info('Redis is available again'),
  });
}
