/** How a background response ends: its object, its last events, and the state of its call. Pure. */
import { errorBody } from '../contract/error-body.ts';
import { toByteString } from '../kernel/byte-string.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import type { LostCall } from '../stored-answers/answer-sweep.ts';
import { numberEvents } from '../stored-answers/event-numbers.ts';
import { ANSWER_KEPT_MS, type EndedAnswer, type NamedCall } from '../stored-answers/stored-answer.ts';
import type { KeptState } from './kept-responses.store.ts';
import type { ResponseItems } from './prepare-response.ts';
import type { Item } from './read-turn.ts';

/** The whole response object, without its cost: its items, and the rest. */
export type EndedResponse = Pick<ResponseItems, 'id' | 'output' | 'head'>;

export interface LostAnswer extends NamedCall, Pick<LostCall, 'parts'> {
  /** Null if another process has declared the end. */
  readonly facts: string | null;
  readonly problem: Problem;
}

/** Prices what a lost call had produced, as far as it was stored. */
export type RecordLost = (lost: LostAnswer) => Promise<{
  /** The row of the record; null if there is nothing to record. */
  readonly charge: string | null;
  readonly output: readonly unknown[];
}>;

export function stateOf({ status }: Item): Exclude<KeptState, 'running'> {
  return status === 'failed' || status === 'cancelled' ? status : null;
}

/** Reads the response object of the last event of a stream, or of a whole answer. */
export function endedResponse(id: string, response: Item): EndedResponse {
  const { output, estimated_cost: _, ...head } = response;
  return { id, head, output: Array.isArray(output) ? output : [] };
}

/** Instead of a response that is too large to keep. */
export function tooLargeEnd(
  { id, head }: EndedResponse,
  callId: string,
  { responseBytesMax }: { responseBytesMax: number },
): EndedResponse {
  const message =
    `The answer has more than ${responseBytesMax} bytes without its media, so it was not kept. It was charged: ` +
    `GET /v1/receipts/${callId} shows the charge. Ask for a shorter answer.`;
  const error = { code: 'answer_not_kept', message, error_ref: callId };
  return { id, head: { ...head, status: 'failed', error }, output: [] };
}

const SEQUENCE = /"sequence_number"\s*:\s*(\d+)/g;

/** The end of a call whose process died. */
export function lostEnd(
  lost: Omit<LostAnswer, 'facts'> & Awaited<ReturnType<RecordLost>> & Pick<EndedResponse, 'id' | 'head'>,
  now: Instant,
): { response: EndedResponse; ended: EndedAnswer } {
  const { id, spaceId, callId, problem, parts, charge, output } = lost;
  const cancelled = problem.code === 'response_cancelled';
  const error = cancelled ? null : { code: problem.code, message: problem.detail, error_ref: callId };
  const head = { ...lost.head, status: cancelled ? 'cancelled' : 'failed', error };
  // Parts may overlap: one that was written again is longer than before.
  const last = parts.toSorted((a, b) => lastEvent(a) - lastEvent(b)).at(-1);
  const events = last === undefined ? 0 : lastEvent(last);
  const sequence = [...(last?.body.matchAll(SEQUENCE) ?? [])].at(-1)?.[1];
  const type = cancelled ? 'response.incomplete' : 'response.failed';
  const data = {
    type,
    sequence_number: sequence === undefined ? 0 : Number(sequence) + 1,
    response: { ...head, output },
    ...(!cancelled && { error: errorBody(problem, callId).error, error_ref: callId }),
  };
  const frame = toByteString(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  const body = numberEvents(frame, callId, events).text;
  return {
    response: { id, head, output },
    ended: {
      spaceId,
      callId,
      state: 'answered',
      head: '{}',
      charge,
      free: charge === null,
      bytes: parts.reduce((sum, part) => sum + part.body.length, body.length),
      expiresAt: now + ANSWER_KEPT_MS,
      parts: [{ spaceId, callId, firstEvent: events + 1, events: 1, body }],
    },
  };
}

function lastEvent({ firstEvent, events }: LostAnswer['parts'][number]): number {
  return firstEvent + events - 1;
}
