/**
 * Reads replies into the words of no format. Each format's reader holds the reply to the published schema, to
 * our own contract and, for streams, to the grammar of its events, before it says what was in it.
 */
import { expect } from 'vitest';
import type { Format } from './ask.ts';
import type { Refusal, Reply } from './neutral-reply.ts';
import { readChatStream, readChatWhole } from './reply-chat.ts';
import { readMessagesStream, readMessagesWhole } from './reply-messages.ts';
import { readResponsesStream, readResponsesWhole } from './reply-responses.ts';

interface Expected {
  readonly format: Format;
  readonly model: string;
  readonly streamed: boolean;
  readonly hidesUsage: boolean;
}

const wholes = { chat: readChatWhole, responses: readResponsesWhole, messages: readMessagesWhole };
const streams = { chat: readChatStream, responses: readResponsesStream, messages: readMessagesStream };

/** The answer, or the refusal that came in its place. */
export async function readReply(response: Response, expected: Expected): Promise<Reply | Refusal> {
  const { format, model, streamed } = expected;
  const text = await response.text();
  const requestId = response.headers.get('x-request-id') ?? '';
  expect(requestId).toMatch(/^req_/);
  const events = streamed && response.status === 200;
  const type = events ? /^text\/event-stream/ : /^application\/json/;
  expect(response.headers.get('content-type')).toMatch(type);
  if (response.status !== 200) return readRefusal(response.status, text, requestId);
  const said = streamed ? streams[format](text, expected) : wholes[format](JSON.parse(text), model);
  // The header is written before a stream knows its cost.
  if (!streamed) expect(response.headers.get('x-tollgate-cost-units')).toBe(said.cost);
  const [first] = said.answers;
  if (first === undefined) throw new Error(`no answer in ${text}`);
  return { ...said, ...first, requestId, events: streamed ? text.split('\n\n').length - 1 : 1 };
}

function readRefusal(status: number, text: string, requestId: string): Refusal {
  const body = JSON.parse(text) as {
    type: string;
    detail: string;
    error_ref: string;
    error: { code: string; message: string; param: string | null };
  };
  const { code, param } = body.error;
  expect(body).toMatchObject({ type: code, error_ref: requestId, error: { message: body.detail } });
  return { status, code, param, detail: body.detail, requestId };
}

export function isRefusal(reply: Reply | Refusal): reply is Refusal {
  return 'code' in reply;
}
