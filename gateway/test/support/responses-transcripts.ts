/** Transcripts of responses streams, and what a client reads from a stream. */
import { readFileSync } from 'node:fs';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import { SseFramer } from '../../src/kernel/framing.ts';

export const transcripts = [
  'text',
  'tools',
  'reasoning',
  'refusal',
  'incomplete',
  'failed',
  'image',
] as const;
export type TranscriptName = (typeof transcripts)[number];

export interface Frame {
  readonly data: string;
  readonly event: string;
}

export type StreamedEvent = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly sequence_number: number;
  readonly response?: Record<string, unknown>;
};

/** As byte strings, the way they come from a socket. */
export function readTranscript(name: TranscriptName): Frame[] {
  const file = new URL(`../../src/providers/openai/responses/fixtures/${name}.sse`, import.meta.url);
  return framesIn(readFileSync(file, 'latin1'));
}

export function framesIn(bytes: string): Frame[] {
  const frames: Frame[] = [];
  const framer = new SseFramer({
    charactersMax: 1e6,
    onFrame: (data, event) => frames.push({ data, event }),
  });
  framer.push(bytes);
  return frames;
}

/** Fails where the name of an event is not the type of its data, or a number is missing. */
export function eventsIn(bytes: string): StreamedEvent[] {
  return framesIn(bytes).map(({ data, event }, place) => {
    const json = JSON.parse(decode(data)) as StreamedEvent;
    if (json.type !== event) throw new Error(`event ${event} has the type ${json.type}`);
    if (json.sequence_number !== place) throw new Error(`event ${place} has ${json.sequence_number}`);
    return json;
  });
}

export function decode(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** What the official SDK makes of the events; it throws where they contradict each other. */
export async function sdkResponse(events: readonly StreamedEvent[]): Promise<Record<string, unknown>> {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  const stream = ResponseStream.fromReadableStream(new Response(lines).body as ReadableStream);
  return (await stream.finalResponse()) as unknown as Record<string, unknown>;
}
