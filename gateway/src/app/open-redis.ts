import { Redis } from '../redis/redis.ts';
import type { AppOptions } from './gateway-app.ts';

/** Where one is configured. Nothing is connected yet. */
export function openRedis({ settings, clock, log }: AppOptions): Redis | null {
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
