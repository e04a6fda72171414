/** What the tests of the faults share: one simulator, and ways to look at what it sends. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FaultName } from '../faults.ts';
import { startSimulator } from '../simulator.ts';
import { type Asking, ask, chunksIn, type Heard, userPrompt, type Wire } from './call-simulator.ts';

/** Of all test files that run in this process; it ends with the process. */
export const simulator = await startSimulator();

/** What a fault does, in words and as a test. */
export type Symptom = readonly [string, () => Promise<void>];

export const TEXT = 'The quick brown 여우 jumps over the lazy 강아지 🙂.';

export function play(fault: FaultName, stream: boolean, asking: Asking = {}): Promise<Heard> {
  const more = stream ? { stream: true, stream_options: { include_usage: true } } : {};
  const model = `sim-fault-${fault}`;
  return ask(simulator.url, userPrompt(`Reply with exactly: ${TEXT}`, { model, ...more }), asking);
}

export async function failure(heard: Promise<Heard>): Promise<string | undefined> {
  return heard.then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
}

export function usages(text: string): Wire[] {
  return chunksIn(text).flatMap((chunk) => (chunk.usage ? [chunk.usage] : []));
}

export function finishes(text: string): unknown[] {
  return chunksIn(text).flatMap((chunk) => chunk.choices.flatMap((choice) => choice.finish_reason ?? []));
}

export function wholeContent(text: string): unknown {
  return (JSON.parse(text) as { choices: [{ message: Wire }] }).choices[0].message.content;
}

/** Every byte of an answer, for what no client lets through. */
export function rawAnswer(fault: FaultName, stream: boolean): Promise<string> {
  const body = JSON.stringify(
    userPrompt('Reply with exactly: hello', { model: `sim-fault-${fault}`, stream }),
  );
  const socket = connect(Number(new URL(simulator.url).port), '127.0.0.1');
  socket.end(
    'POST /v1/chat/completions HTTP/1.1\r\nhost: simulator\r\nconnection: close\r\n' +
      `content-length: ${body.length}\r\n\r\n${body}`,
  );
  return text(socket);
}
