/**
 * Where log lines come from. A source is one run of one container of one pod: its lines have one order,
 * and it ends. A store finds the sources of a project and reads each of them; merging, sharing and sending
 * lines is done elsewhere.
 */
import type { LogTime } from '../kernel/log-time.ts';

export interface LogSource {
  /** `<pod uid>/<container>/<restart>`. */
  readonly id: string;
  readonly pod: string;
  readonly podUid: string;
  readonly container: string;
  readonly restart: number;
  /** No more lines will be written. */
  readonly ended: boolean;
}

export interface LogLine {
  readonly source: LogSource;
  readonly time: LogTime;
  readonly text: string;
  /** The position after this line. Only the store that created it can interpret it. */
  readonly position: string;
}

/** Where a read starts. `tail`: one line or more before this many last lines, if there are any before them. */
export type ReadFrom =
  | { readonly kind: 'start' }
  | { readonly kind: 'tail'; readonly lines: number }
  | { readonly kind: 'since'; readonly time: LogTime }
  | { readonly kind: 'after'; readonly position: string };

export interface SourceReadOptions {
  readonly from: ReadFrom;
  /** The position after the last line to read; default: read to the end. */
  readonly until?: string;
  /** Wait for new lines until the source ends. */
  readonly follow: boolean;
}

export interface LogBatch {
  readonly lines: readonly LogLine[];
  /** Why lines may be missing before these; null: none are missing. */
  readonly gap: string | null;
  /** Of a tail: a line before these that is known only for its position. */
  readonly before?: LogLine;
  /** Of a followed tail: all existing lines were read. */
  readonly atEnd?: true;
}

export interface LogStore {
  /** All sources of a project, now and after each change. */
  discover(project: string, signal: AbortSignal): AsyncIterable<readonly LogSource[]>;
  /** Reads ahead only after a batch was taken. A source that no longer exists has no lines. */
  read(source: LogSource, options: SourceReadOptions, signal: AbortSignal): AsyncIterable<LogBatch>;
  /** Whether this store could have created the position. */
  knows(position: string): boolean;
  close(): Promise<void>;
}

/** A longer line is cut, and CUT_MARK is added. */
export const LINE_BYTES_MAX = 1024 * 1024;
export const CUT_MARK = ' … [line cut at 1 MiB]';

export function sourceId(source: { podUid: string; container: string; restart: number }): string {
  return `${source.podUid}/${source.container}/${source.restart}`;
}
