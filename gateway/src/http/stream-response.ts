/**
 * Streams a response again: while it runs, and after it has ended. Only background responses and those that were created as
 * a stream with an Idempotency-Key have their events kept.
 */
import { ownerScope, type Principal } from '../access/principal.ts';
import { isId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { AnswerLost } from '../stored-answers/follow-answer.ts';
import { callIdOf } from '../text/answer-ids.ts';
import { responsesFormat } from '../text/formats/responses/responses.ts';
import type { Exchange } from './exchange.ts';
import { type FollowAnswerOptions, sendFollowed } from './send-followed.ts';
import { failureIn } from './write-failure.ts';

const FRAME = /.*?\n\n/gs;
const SEQUENCE = /"sequence_number"\s*:\s*(\d+)/;

export interface ResponseToStream {
  readonly principal: Principal;
  readonly id: string;
  readonly startingAfter: number | null;
  /** Whether the response is kept: it may have been deleted, or was not to be stored. */
  isStored(): Promise<boolean>;
}

export async function streamResponse(
  exchange: Exchange,
  asked: ResponseToStream,
  options: FollowAnswerOptions,
): Promise<void> {
  const { principal, id, startingAfter } = asked;
  const callId = callIdOf(id);
  const of = { ...ownerScope(principal), operation: 'responses' as const, callId };
  const isResponse = id.startsWith('resp_') && isId('req', callId);
  const begun = isResponse ? await options.answers.findStream(of) : null;
  if (begun === null || (begun.kind === 'stored' && !(await asked.isStored()))) throw noStream(id);
  const writeFailure = failureIn(responsesFormat, { value: { model: 'unknown', input: '' } });
  const choose = startingAfter === null ? {} : { choose: (text: string) => eventsAfter(text, startingAfter) };
  try {
    const request = { exchange, principal, streamed: true, writeFailure };
    await sendFollowed(request, begun, { ...options, ...choose, after: 0, headers: {} });
  } catch (error) {
    throw error instanceof AnswerLost ? noStream(id) : error;
  }
}

/** Events have sequence numbers of their own, which a provider may have chosen. */
function eventsAfter(events: string, startingAfter: number): string {
  const frames = events.match(FRAME) ?? [];
  return frames.filter((frame) => Number(SEQUENCE.exec(frame)?.[1] ?? 0) > startingAfter).join('');
}

function noStream(id: string): Problem {
  return new Problem('response_not_found', {
    detail:
      `There is no stream of the response ${JSON.stringify(id.slice(0, 100))} that this key can read. Only a background response, ` +
      'or one that was created with "stream": true and an Idempotency-Key, and is kept, can be streamed again, for 24 hours.',
    param: 'response_id',
  });
}
