/** Writes lines and events as NDJSON. Text that looks like a key is masked. */
import { maskSecrets } from '../telemetry/log.ts';
import type { FeedEntry } from './feed-buffer.ts';
import { FIRST_POSITION, printLineId } from './line-position.ts';
import type { LogRequest } from './log-request.ts';
import type { PastBatch } from './read-past.ts';
import type { LogLine, LogSource } from './source.ts';

/** Text is collected up to this size before it is sent. */
export const PIECE_CHARACTERS = 64 * 1024;

export const END_LINE = '{"last":true}\n';

/**
 * The known sources, and a gap for each source that the client knows and that no longer exists: its last
 * lines may be missing. `removed`: sources that no longer exist, but of which nothing is missing.
 */
export function writeOpening(
  request: LogRequest,
  { sources, removed }: { sources: readonly LogSource[]; removed: ReadonlyMap<string, unknown> },
  positionOf: (source: string) => string,
): string {
  if (!request.ids) return '';
  const existing = new Set(sources.map(({ id }) => id));
  const gone = [...(request.after?.keys() ?? [])].filter((id) => !existing.has(id) && !removed.has(id));
  const pods = sources.map((source) =>
    writePod(source, source.ended ? 'ended' : 'running', positionOf(source.id)),
  );
  const gaps = gone.map((source) => writeLogEvent('gap', { source, reason: 'the container is gone' }));
  return [...pods, ...gaps].join('');
}

export async function* writePast(
  batches: AsyncIterable<PastBatch> | Iterable<PastBatch>,
  ids: boolean,
): AsyncGenerator<string> {
  for await (const { lines, gaps } of batches) {
    let piece = ids ? gaps.map(({ source, reason }) => writeGap(source, reason)).join('') : '';
    for (const line of lines) {
      piece += writeLine(line, ids);
      if (piece.length < PIECE_CHARACTERS) continue;
      yield piece;
      piece = '';
    }
    if (piece !== '') yield piece;
  }
}

/** The text is the same for every follower, so it is kept with the entry. Without ids only lines are sent. */
export function writeEntry(entry: FeedEntry, ids: boolean): string {
  if (entry.kind === 'line') {
    if (ids) {
      entry.idText ??= writeLine(entry.line, true);
      return entry.idText;
    }
    entry.text ??= writeLine(entry.line, false);
    return entry.text;
  }
  if (!ids) return '';
  if (entry.kind === 'gap') return writeGap(entry.source, entry.reason);
  return writePod(entry.source, entry.state, entry.state === 'joined' ? FIRST_POSITION : undefined);
}

export function writeLogEvent(event: string, fields: Readonly<Record<string, unknown>> = {}): string {
  return `${JSON.stringify({ event, ...fields })}\n`;
}

function writeLine(line: LogLine, ids: boolean): string {
  const { source, time } = line;
  const content = JSON.stringify(maskSecrets(line.text));
  const id = ids ? `,"id":"${printLineId(source.id, line.position)}"` : '';
  return `{"content":${content},"podName":"${source.pod}","timeStamp":"${time}","last":false${id}}\n`;
}

/** The id lets a client resume a source before it has received a line of it. */
function writePod(source: LogSource, state: 'joined' | 'running' | 'ended', position?: string): string {
  const id = position === undefined ? {} : { id: printLineId(source.id, position) };
  return writeLogEvent('pod', { ...namesOf(source), state, ...id });
}

function writeGap(source: LogSource, reason: string): string {
  return writeLogEvent('gap', { ...namesOf(source), reason });
}

function namesOf(source: LogSource): Record<string, unknown> {
  const { id, pod, container, restart } = source;
  return { podName: pod, container, restart, source: id };
}
