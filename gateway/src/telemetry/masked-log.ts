/** A log that masks known secrets, wherever they are in a line or in the causes of an error. */
import { pino } from 'pino';
import type { Log, LogFields } from './log.ts';

const DEPTH_MAX = 16;

export function maskedLog(log: Log, redact: (text: string) => string): Log {
  const masked = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return redact(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= DEPTH_MAX) return null;
    // The message and stack of an error are not enumerable.
    const shown = value instanceof Error ? pino.stdSerializers.errWithCause(value) : value;
    if (Array.isArray(shown)) return shown.map((item) => masked(item, depth + 1));
    return Object.fromEntries(
      Object.entries(shown).map(([name, item]) => [redact(name), masked(item, depth + 1)]),
    );
  };
  const at =
    (level: keyof Log): Log[keyof Log] =>
    (message, fields) =>
      log[level](redact(message), fields && (masked(fields, 0) as LogFields));
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
