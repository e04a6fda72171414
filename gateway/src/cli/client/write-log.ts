/** Prints log lines on a terminal or to a pipe. */
import type { LogLineBody } from '../../contract/logs.ts';

export type LogForm = 'pretty' | 'json' | 'raw';

/** Colours that are readable on a light and on a dark background. */
const COLOURS = [36, 35, 33, 32, 34, 31, 96, 95];
const OTHER_THAN_COLOUR =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters that a log must not send to a terminal
  /\u001b\[(?![0-9;]*m)[0-?]*[ -/]*[@-~]|\u001b(?!\[)[ -~]?|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f\u0080-\u009f]/g;

export function writeLogLine(line: LogLineBody, form: LogForm, options: { terminal: boolean }): string {
  const { content, podName, timeStamp } = line;
  if (form === 'json') return `${JSON.stringify({ content, podName, timeStamp, last: false })}\n`;
  const text = options.terminal ? harmless(content) : content;
  if (form === 'raw') return `${text}\n`;
  const time = timeStamp.slice(11, 23);
  if (!options.terminal) return `${timeStamp} ${podName} ${text}\n`;
  return `\u001b[2m${time}\u001b[0m \u001b[${colourOf(podName)}m${podName}\u001b[0m ${text}\u001b[0m\n`;
}

/** Logs may use colours, but must not control the terminal: no cursor, title or clipboard. */
function harmless(text: string): string {
  return text.replace(OTHER_THAN_COLOUR, '');
}

/** The same pod has the same colour every time. */
function colourOf(pod: string): number {
  let sum = 0;
  for (let i = 0; i < pod.length; i++) sum = (sum * 31 + pod.charCodeAt(i)) % 65_521;
  return COLOURS[sum % COLOURS.length] as number;
}

/** Waits while the reader of a pipe is slow. */
export async function writeOut(text: string): Promise<void> {
  if (text === '' || process.stdout.write(text)) return;
  await new Promise<void>((resolve) => process.stdout.once('drain', resolve));
}

export function endWithPipe(): void {
  process.stdout.on('error', (error: Error & { code?: string }) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}
