/** Collects everything that is wrong with a configuration, so that one reading reports all of it. */
import { ConfigError, type ConfigProblem } from './config-error.ts';
import type { Position } from './config-line.ts';

export interface CollectOptions {
  /** Where a field is in the file. */
  readonly locate?: (path: string) => Position | null;
  /** Hides values that came from variables and files. */
  readonly mask?: (text: string) => string;
}

export class ConfigProblems {
  readonly #options: CollectOptions;
  readonly #found: ConfigProblem[] = [];

  constructor(options: CollectOptions = {}) {
    this.#options = options;
  }

  get found(): readonly ConfigProblem[] {
    return this.#found.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  }

  add(error: ConfigError): void {
    for (const problem of this.placed(error)) {
      const { path, message } = problem;
      if (!this.#found.some((other) => other.path === path && other.message === message))
        this.#found.push(problem);
    }
  }

  /** The problems of an error with their places in the file, without adding them. */
  placed({ problems }: ConfigError): ConfigProblem[] {
    const { locate, mask = (text) => text } = this.#options;
    return problems.map(({ path, message, line, column }) => {
      const place = line === null ? (locate?.(path) ?? null) : { line, column };
      return { path, message: mask(message), line: place?.line ?? null, column: place?.column ?? null };
    });
  }

  /** What the work returns; null if it found a problem. */
  attempt<Value>(work: () => Value): Value | null {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.add(error);
      return null;
    }
  }

  /** `file` is the name in the messages. */
  throwAny(file: string | null = null): void {
    if (this.#found.length > 0) throw ConfigError.all(this.found, file);
  }
}
