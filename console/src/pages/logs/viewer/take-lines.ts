/** The shown lines as text, for the clipboard or a file. */
import type { LogEntry } from '../../../../../gateway/src/client/line-buffer.ts';
import { lineText } from './line-text.ts';

export function linesAsText(entries: readonly LogEntry[]): string {
  return entries
    .flatMap((entry) =>
      entry.kind === 'line'
        ? [`${entry.line.timeStamp} ${entry.line.podName} ${lineText(entry).plain}\n`]
        : [],
    )
    .join('');
}

/** `shop-2026-11-15T03-00-00.log` */
export function logFileName(name: string, now: number): string {
  return `${name}-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}.log`;
}

export function downloadText(text: string, fileName: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
}
