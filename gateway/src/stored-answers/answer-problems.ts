/** What a reader of a stored answer gets instead of it. */
import { Problem } from '../kernel/problem.ts';
import { problemAgain, readOutcome } from './outcome.ts';

/** When a client should retry while the first request is running. */
const LOOK_AGAIN_MS = 1_000;

export function keyInFlight(): Problem {
  return new Problem('idempotency_in_flight', {
    detail: 'The first request with this Idempotency-Key is still running; retry in a moment.',
    retryAfterMs: LOOK_AGAIN_MS,
  });
}

export function keyConflict(): Problem {
  return new Problem('idempotency_conflict', {
    detail: 'This Idempotency-Key was already used for a different request; use a new key.',
  });
}

/** It was too large to keep, or was removed for the quota of its space. */
export function notKept({ background, callId }: { background: boolean; callId: string }): Problem {
  return background ? eventsNotKept() : answerNotKept(callId);
}

export function answerNotKept(callId: string): Problem {
  return new Problem('answer_not_kept', {
    detail:
      `The first request with this Idempotency-Key was answered and charged as ${callId}, but its answer is too large ` +
      `to keep or was removed to make room. GET /v1/receipts/${callId} shows the charge. Use a new key to send the request again.`,
  });
}

/** The answer of a running call, which its first request still gets. */
export function tooLargeToFollow({ background }: { background: boolean }): Problem {
  if (background) return eventsNotKept();
  return new Problem('answer_not_kept', {
    detail:
      'The first request with this Idempotency-Key is still running, but its answer is too large to keep. Only the first ' +
      'request gets it.',
  });
}

/** A `Last-Event-ID` of an answer that no longer exists. */
export function eventGone(): Problem {
  return new Problem('answer_not_kept', {
    detail:
      'The stream that Last-Event-ID belongs to was lost before it was charged, or its answer has expired. Send the request ' +
      'without Last-Event-ID to start again.',
  });
}

/** The process of a stream died while it was followed. */
export function streamLost(): Problem {
  return new Problem('idempotency_in_flight', {
    detail:
      'The process that produced this stream was lost. Send the request again with the same Idempotency-Key.',
    retryAfterMs: LOOK_AGAIN_MS,
  });
}

/** The end of a call in a process that stops. */
export function callStopped({ background }: { background: boolean }): Problem {
  return new Problem('service_unavailable', {
    detail: background
      ? 'The gateway was stopped before the response was complete. Create the response again.'
      : 'The gateway was stopped before the answer was complete. Send the request again with a new Idempotency-Key.',
  });
}

function eventsNotKept(): Problem {
  return new Problem('answer_not_kept', {
    detail:
      'The events of this background response are too large to keep, or were removed to make room. Read the response with ' +
      'GET /v1/responses/{id}, without stream.',
  });
}

/** The end of a background call that its owner cancelled. */
export function responseCancelled(): Problem {
  return new Problem('response_cancelled', { detail: 'The response was cancelled.' });
}

/** The end of a background call whose process died. */
export function responseLost(): Problem {
  return new Problem('response_lost', {
    detail:
      'The process that ran this response was lost. What it had produced and stored by then is charged. Create the response again.',
  });
}

/** The error of the first request. */
export function rejectedBefore(head: string): Problem {
  const outcome = readOutcome(head);
  if (!('problem' in outcome)) throw new Error('a rejected call without a problem');
  return problemAgain(outcome.problem, { 'idempotent-replayed': 'true' });
}
