/** Structured logs: one JSON object per line. Keys and tokens are masked in every line. */
import { pino } from 'pino';

export type LogFields = Readonly<Record<string, unknown>>;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

const KEYS = /\b(?:sk|mk|ts|sl|iv|at|fo)_[0-9A-Za-z]{20,}/g;
const SECRETS = /\b(?:sk|mk|ts|sl|iv|at|fo)_[0-9A-Za-z]{20,}|\bBearer\s+[^\s"\\]+|\bsk-[A-Za-z0-9_-]{12,}/g;

export function createLog(options: {
  level: LogLevel;
  write?: (line: string) => void;
  /** Part of every line. */
  fields?: LogFields;
}): Log {
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const logger = pino(
    {
      level: options.level,
      base: options.fields ?? null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.errWithCause },
    },
    { write: (line: string) => write(maskSecrets(line)) },
  );
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
  };
}

export function maskSecrets(text: string): string {
  return text.replace(SECRETS, '[secret]');
}

/** Masks keys, session tokens and sign-in codes; the text around them stays. */
export function maskKeys(text: string): string {
  return text.replace(KEYS, '[secret]');
}
