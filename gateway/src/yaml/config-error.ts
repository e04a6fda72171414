import { nearest } from '../kernel/nearest.ts';

/** One thing that is wrong with `tollgate.yaml`. */
export interface ConfigProblem {
  /** The field, such as `models.fast.routes[0]`; empty if there is none. */
  readonly path: string;
  readonly message: string;
  /** Where the field is in the file, from 1; null: unknown, or not in the file. */
  readonly line: number | null;
  readonly column: number | null;
}

/** `tollgate.yaml`, or a file of prices, is invalid; `message` says where and why, for the person who edits it. */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(message: string, path = '', problems?: readonly ConfigProblem[]) {
    super(message);
    this.problems = problems ?? [{ path, message, line: null, column: null }];
  }

  /** `problem` follows the path: "must be a number". */
  static at(path: string, problem: string): ConfigError {
    return new ConfigError(`${path} ${problem}`, path);
  }

  /** `problem` is a sentence of its own: "there is no such model". */
  static of(path: string, problem: string): ConfigError {
    return new ConfigError(`${path}: ${problem}`, path);
  }

  /** Everything that is wrong with a file, one line for each problem. */
  static all(problems: readonly ConfigProblem[], file: string | null): ConfigError {
    const lines = problems.map((problem) => placedText(problem, file));
    const message =
      lines.length === 1
        ? (lines[0] as string)
        : `The configuration has ${lines.length} errors:\n${lines.map((line) => `  ${line}`).join('\n')}`;
    return new ConfigError(message, '', problems);
  }
}

/** As compilers write it, so that terminals and editors find the place. */
export function placedText({ path, message, line, column }: ConfigProblem, file: string | null): string {
  if (line === null) return file === null || path === '' ? message : `${file}: ${message}`;
  return file === null
    ? `${message} (line ${line}, column ${column})`
    : `${file}:${line}:${column}: ${message}`;
}

/** A field names something that does not exist. */
export function unknownName(path: string, name: string, known: readonly string[]): ConfigError {
  const guess = nearest(name, known);
  const hint = guess === null ? '' : `; did you mean ${guess}?`;
  return ConfigError.of(path, `there is no ${name}${hint}`);
}
