import type { Clock } from '../kernel/time.ts';
import { Redis } from '../redis/redis.ts';
import type { Log } from '../telemetry/log.ts';
import type { Settings } from './settings.ts';

/** Where one is configured. Nothing is connected yet. */
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
      log.warn('Redis cannot be asked: processes tell each other through the database what they counted', {
        error,
      }),
    onBack: () => log.info('Redis answers again'),
  });
}
