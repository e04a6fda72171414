/** Writes events of the messages format, each with its `event:` line. */
import { errorBody } from '../../../contract/error-body.ts';
import type { Problem } from '../../../kernel/problem.ts';

export const MESSAGE_STOP = writeMessagesEvent('message_stop', { type: 'message_stop' });

export function writeMessagesEvent(type: string, event: object): string {
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The error body as clients of this format expect it, without an end marker. */
export function writeMessagesFailure(problem: Problem, errorRef: string): string {
  return writeMessagesEvent('error', { ...errorBody(problem, errorRef), type: 'error' });
}

/** Anthropic's own event for a silent stream. */
export const MESSAGES_PING = 'event: ping\ndata: {"type":"ping"}\n\n';
