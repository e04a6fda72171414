/** Server-sent events, read as strictly as the plainest client would: one event line, one data line. */
import { expect } from 'vitest';

export interface SseEvent {
  /** Empty where there was no `event:` line. */
  readonly event: string;
  readonly data: string;
}

export function readSse(text: string): SseEvent[] {
  const blocks = text.split('\n\n');
  expect(blocks.pop(), 'the stream ends with a whole event').toBe('');
  return blocks.flatMap((block) => {
    const lines = block.split('\n').filter((line) => !line.startsWith(':'));
    if (lines.length === 0) return [];
    const event = lines[0]?.startsWith('event: ') ? (lines.shift()?.slice('event: '.length) ?? '') : '';
    expect(lines, 'an event has one line of data').toEqual([expect.stringMatching(/^data: /)]);
    return [{ event, data: (lines[0] as string).slice('data: '.length) }];
  });
}

/** The data of an event, which has to be a JSON object. */
export function readJson<Shape>(data: string): Shape {
  const json: unknown = JSON.parse(data);
  expect(json).toBeTypeOf('object');
  return json as Shape;
}
