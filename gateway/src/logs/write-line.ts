/** Lines as they leave: JSON, with whatever looks like a key taken out. */
import { maskSecrets } from '../telemetry/log.ts';
import type { FeedEntry } from './feed-ring.ts';
import { printLineId } from './log-request.ts';
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
  return entry.kind === 'gap' ? writeGap(entry.source, entry.reason) : writePod(entry.source, entry.state);
}

export function writePod(source: LogSource, state: 'joined' | 'running' | 'ended'): string {
  return writeEvent('pod', { ...namesOf(source), state });
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
