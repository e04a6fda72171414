/** A log through which no known secret passes, wherever in a line or behind an error it stands. */
import { pino } from 'pino';
import type { Log, LogFields } from './log.ts';

const DEPTH_MAX = 16;

export function maskedLog(log: Log, redact: (text: string) => string): Log {
  const masked = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return redact(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= DEPTH_MAX) return null;
    // An error's message and stack are not among its own fields.
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
