/**
 * Where log lines come from. A source is one run of one container of one pod: it is written in one
 * order, and it ends. A store knows the sources of a project and reads each of them; what is made of
 * the lines (merging, sharing, sending) is no concern of a store.
 */
import type { LogTime } from '../kernel/log-time.ts';

export interface LogSource {
  /** `<pod uid>/<container>/<restart>`. */
  readonly id: string;
  readonly pod: string;
  readonly podUid: string;
  readonly container: string;
  readonly restart: number;
  /** Nothing more is written to it. */
  readonly ended: boolean;
}

export interface LogLine {
  readonly source: LogSource;
  readonly time: LogTime;
  readonly text: string;
  /** The place after this line; only the store that wrote it reads it. */
  readonly position: string;
}

/**
 * Where a read begins. `tail` is capped in bytes too, because it is held in memory; the first batch is then
 * the tail in whole, also where it is empty.
 */
export type ReadFrom =
  | { readonly kind: 'start' }
  | { readonly kind: 'tail'; readonly lines: number; readonly bytesMax: number }
  | { readonly kind: 'since'; readonly time: LogTime }
  | { readonly kind: 'after'; readonly position: string };

export interface ReadOptions {
  readonly from: ReadFrom;
  /** The last line that is wanted; without it, all there are. */
  readonly until?: string;
  /** Goes on until the source ends. */
  readonly follow: boolean;
}

export interface LogBatch {
  readonly lines: readonly LogLine[];
  /** Why lines may be missing before these. */
  readonly gap: string | null;
  /** Of a tail: the place before its first line; null: that is the first line of the source. */
  readonly before?: string | null;
}

export interface LogStore {
  /** The sources of a project, in whole, now and at each change. */
  discover(project: string, signal: AbortSignal): AsyncIterable<readonly LogSource[]>;
  /** Waits with the next read until the last batch was taken. A source that is gone has no lines. */
  read(source: LogSource, options: ReadOptions, signal: AbortSignal): AsyncIterable<LogBatch>;
  /** Whether a position could be one of its own. */
  knows(position: string): boolean;
  close(): Promise<void>;
}

/** A line longer than this is cut, with a mark. */
export const LINE_BYTES_MAX = 1024 * 1024;
export const CUT_MARK = ' … [line cut at 1 MiB]';

export function sourceId(source: { podUid: string; container: string; restart: number }): string {
  return `${source.podUid}/${source.container}/${source.restart}`;
}
