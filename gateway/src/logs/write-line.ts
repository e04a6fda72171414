/** Lines as they leave: JSON, with whatever looks like a key taken out. */
import { maskSecrets } from '../telemetry/log.ts';
import type { FeedEntry } from './feed-ring.ts';
import { FIRST_PLACE, printLineId } from './log-request.ts';
import type { LogLine, LogSource } from './source.ts';

export function writeLine(line: LogLine, ids: boolean): string {
  const { source, time } = line;
  const content = JSON.stringify(maskSecrets(line.text));
  const id = ids ? `,"id":"${printLineId(source.id, line.position)}"` : '';
  return `{"content":${content},"podName":"${source.pod}","timeStamp":"${time}","last":false${id}}\n`;
}

/** What is written of an entry is the same for every follower. Without ids there are only lines. */
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
  return writePod(entry.source, entry.state, entry.state === 'joined' ? FIRST_PLACE : undefined);
}

/** `id`: the place its lines come after, to go on from where none of them came. */
export function writePod(source: LogSource, state: 'joined' | 'running' | 'ended', place?: string): string {
  const id = place === undefined ? {} : { id: printLineId(source.id, place) };
  return writeEvent('pod', { ...namesOf(source), state, ...id });
}

export function writeGap(source: LogSource, reason: string): string {
  return writeEvent('gap', { ...namesOf(source), reason });
}

export function writeEvent(event: string, fields: Readonly<Record<string, unknown>> = {}): string {
  return `${JSON.stringify({ event, ...fields })}\n`;
}

export const END_LINE = '{"last":true}\n';

function namesOf(source: LogSource): Record<string, unknown> {
  const { id, pod, container, restart } = source;
  return { podName: pod, container, restart, source: id };
}
