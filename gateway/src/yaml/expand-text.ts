/** Replaces `${VAR}`, `${VAR:-default}` and `${file:PATH}` in a text of `tollgate.yaml`. */
import { ConfigError } from './config-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the values of a file come from. */
export interface ConfigSources {
  readonly env: Environment;
  /** The content of a file, never empty. Throws an Error with a sentence that names the file. */
  readonly readFile?: (path: string) => string;
}

const REFERENCE = /\$\{(?:file:([^}]*)|([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?)\}/g;
/** Shorter values are words such as `true`; nothing else would be left of a message without them. */
const MASKED_LENGTH_MIN = 4;

export class TextExpander {
  readonly #sources: ConfigSources;
  /** What was inserted, and as what it stands in the file. */
  readonly #inserted = new Map<string, string>();

  constructor(sources: ConfigSources) {
    this.#sources = sources;
  }

  expand(text: string, path: string): string {
    return text.replace(
      REFERENCE,
      (written: string, file: string | undefined, name = '', fallback?: string) => {
        const found = file === undefined ? this.#sources.env[name] : this.#contentOf(file.trim(), path);
        if (found) {
          if (found.length >= MASKED_LENGTH_MIN) this.#inserted.set(found, written);
          return found;
        }
        if (fallback !== undefined) return fallback;
        throw ConfigError.at(
          path,
          `needs the environment variable ${name}; set it, or write \${${name}:-default}`,
        );
      },
    );
  }

  /** The text without any value that was inserted, because that may be a secret. */
  mask(text: string): string {
    const values = [...this.#inserted].sort(([a], [b]) => b.length - a.length);
    return values.reduce((masked, [value, written]) => masked.replaceAll(value, () => written), text);
  }

  #contentOf(file: string, path: string): string {
    const { readFile } = this.#sources;
    if (file === '' || readFile === undefined)
      throw ConfigError.at(path, 'needs the path of a file, such as ${file:/run/secrets/openai}');
    try {
      return readFile(file);
    } catch (error) {
      throw ConfigError.of(path, (error as Error).message);
    }
  }
}
