import { nearest } from './nearest.ts';

/** `tollgate.yaml`, or a file of prices, is invalid; `message` says where and why, for the person who edits it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The field, such as `models.fast.routes[0]`, from which its line is found; empty if there is none. */
  readonly path: string;

  constructor(message: string, path = '') {
    super(message);
    this.path = path;
  }

  /** `problem` follows the path: "must be a number". */
  static at(path: string, problem: string): ConfigError {
    return new ConfigError(`${path} ${problem}`, path);
  }

  /** `problem` is a sentence of its own: "there is no such model". */
  static of(path: string, problem: string): ConfigError {
    return new ConfigError(`${path}: ${problem}`, path);
  }
}

/** A field names something that does not exist. */
export function unknownName(path: string, name: string, known: readonly string[]): ConfigError {
  const guess = nearest(name, known);
  const hint = guess === null ? '' : `; did you mean ${guess}?`;
  return ConfigError.of(path, `there is no ${name}${hint}`);
}
