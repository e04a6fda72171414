/** Reads logs from files in the layout of a kubelet. This is the default store. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../kernel/time.ts';
import type { LogBatch, LogSource, LogStore, SourceReadOptions } from '../source.ts';
import { readFilePosition } from './file-position.ts';
import { discoverFolders, type FoundSource } from './pod-folders.ts';
import { readFiles } from './read-files.ts';

export class FileStore implements LogStore {
  readonly #root: string;
  readonly #clock: Clock;

  /** `root` holds `pods/`. */
  constructor(options: { root: string; clock: Clock }) {
    this.#root = options.root;
    this.#clock = options.clock;
  }

  discover(project: string, signal: AbortSignal): AsyncIterable<readonly LogSource[]> {
    return discoverFolders(join(this.#realRoot(), 'pods'), project, this.#clock, signal);
  }

  read(source: LogSource, options: SourceReadOptions, signal: AbortSignal): AsyncIterable<LogBatch> {
    // Only discovered sources have a folder: a name from a request never becomes part of a path.
    const { folder } = source as FoundSource;
    const files = { folder, root: this.#realRoot(), restart: source.restart };
    return readFiles(files, source, { ...options, clock: this.#clock }, signal);
  }

  knows(position: string): boolean {
    return readFilePosition(position) !== null;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #realRoot(): string {
    try {
      return realpathSync(this.#root);
    } catch {
      return this.#root;
    }
  }
}
