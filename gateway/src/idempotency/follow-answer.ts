/**
 * Follows the answer of a call for a repeat of its request. While this process runs the call, new events are read from
 * memory. Earlier ones are read from the store, again and again while another process runs the call.
 */
import type { Database } from '../database/database.ts';
import { readAgain } from '../database/deadlines.ts';
import { Problem } from '../kernel/problem.ts';
import { type Clock, pause } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { skipEvents } from './event-numbers.ts';
import { answerNotKept, eventsNotKept, keyInFlight, responseLost, streamLost } from './repeat-problems.ts';
import {
  findParts,
  findRepeatable,
  type NamedCall,
  type RepeatableRow,
  type RepeatableScope,
} from './repeatable-calls.store.ts';
import type { AnswerHeaders, RunningAnswer } from './running-answer.ts';

/** `first`: this request runs the call. `elsewhere`: another process runs it. */
export type Begun =
  | { readonly kind: 'first' | 'joined'; readonly answer: RunningAnswer }
  | { readonly kind: 'elsewhere' | 'stored'; readonly row: RepeatableRow };

export function followedCallId(begun: Begun): string {
  return 'answer' in begun ? begun.answer.callId : begun.row.callId;
}

/** How often the store is read for the events of a call in another process. */
const POLL_MS = 250;

export interface FollowTools {
  readonly db: Database;
  readonly clock: Clock;
  /** Declares the end of a background call whose process died. */
  recover(call: NamedCall): Promise<void>;
}

export interface Following {
  readonly scope: RepeatableScope;
  /** Events up to this number are left out. */
  readonly after: number;
  /** How long an answer of another process is waited for. */
  readonly waitMs: number;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

export interface AnswerPiece {
  readonly headers: AnswerHeaders;
  /** A byte string: events, or a whole body. */
  readonly text: string;
}

/** The call was lost with its process before anything was charged: the request can begin again. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
}

/** The pieces of an answer, until it ends. Throws the Problem with which it failed, or AnswerLost before its first piece. */
export async function* followAnswer(
  begun: Begun,
  following: Following,
  tools: FollowTools,
): AsyncGenerator<AnswerPiece> {
  if ('answer' in begun) yield* followHere(begun.answer, following, tools);
  else yield* followStored(begun.row, { ...following, stored: begun.kind === 'stored' }, tools);
}

async function* followHere(
  answer: RunningAnswer,
  { after, signal }: Following,
  { db }: FollowTools,
): AsyncGenerator<AnswerPiece> {
  const leave = answer.join();
  // One promise for each wait: a promise that lives as long as the stream would remember every wait.
  let wake = (): void => undefined;
  signal.addEventListener('abort', () => wake());
  let last = after;
  try {
    while (!signal.aborted) {
      // Taken before the state is read, so that no change is missed.
      const changed = answer.changed();
      if (answer.overflowed && !answer.ended) throw tooLargeToFollow(answer);
      const { headers, streamed } = answer;
      if (streamed && headers !== null && !answer.overflowed) {
        const events = answer.eventsAfter(last);
        if (events === null) {
          const stored = await storedEvents(answer, last, db);
          if (stored.text !== '') yield { headers, text: stored.text };
          last = stored.last;
          continue;
        }
        if (events.text !== '') yield { headers, text: events.text };
        last = Math.max(events.last, last);
      }
      if (answer.ended) {
        if (answer.failure !== null) throw answer.failure;
        if (!streamed) yield { headers: headers ?? {}, text: answer.whole() };
        return;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
        changed.then(resolve, resolve);
        if (signal.aborted) resolve();
      });
    }
  } finally {
    leave();
  }
}

/** The events that only the store has. */
async function storedEvents(
  answer: RunningAnswer,
  after: number,
  db: Database,
): Promise<{ text: string; last: number }> {
  const { spaceId, callId, firstHeld } = answer;
  // Everything that left the memory is before the end, so the state of the row does not matter.
  const parts = await whenAvailable(() =>
    readAgain(() => findParts(db, { spaceId, callId }, { after, stored: true })),
  );
  let [text, last] = ['', after];
  for (const { firstEvent, events, body } of parts) {
    // The end, maybe, which is stored before it is charged.
    if (firstEvent >= firstHeld) break;
    text += skipEvents(body, Math.max(last + 1 - firstEvent, 0));
    last = Math.max(last, firstEvent + events - 1);
  }
  // Nothing is stored of a call that failed, or whose key or end another process has.
  if (last === after) throw answer.failure ?? (answer.background ? responseLost() : streamLost());
  return { text, last };
}

function tooLargeToFollow({ background }: RunningAnswer): Problem {
  if (background) return eventsNotKept();
  return new Problem('answer_not_kept', {
    detail:
      'The first request with this Idempotency-Key is still running, but its answer is too large to keep. Only the first ' +
      'request gets it.',
  });
}

async function* followStored(
  first: RepeatableRow,
  following: Following & { stored: boolean },
  { db, clock, recover }: FollowTools,
): AsyncGenerator<AnswerPiece> {
  const { scope, signal } = following;
  const { callId } = first;
  const untilMs = clock.elapsedMs() + following.waitMs;
  let last = following.after;
  let sent = false;
  let row: RepeatableRow = first;
  while (!signal.aborted) {
    const stored = following.stored || (row.state === 'answered' && row.charged);
    if (stored || row.streamed) {
      const parts = await whenAvailable(() =>
        readAgain(() => findParts(db, { spaceId: scope.spaceId, callId }, { after: last, stored })),
      );
      // The head is stored with the end.
      const headers = JSON.parse(row.head ?? '{}') as AnswerHeaders;
      for (const { firstEvent, events, body } of parts) {
        const text = row.streamed ? skipEvents(body, Math.max(last + 1 - firstEvent, 0)) : body;
        last = Math.max(last, firstEvent + events - 1);
        if (text === '') continue;
        yield { headers, text };
        sent = true;
      }
    }
    if (stored) return;
    await pause(clock, POLL_MS, signal);
    if (signal.aborted) return;
    const next = await whenAvailable(() => readAgain(() => findRepeatable(db, scope)));
    const lapsed = next?.callId === callId && isLapsed(next, clock.now());
    if (next === null || next.callId !== callId || (lapsed && !next.background))
      throw sent ? streamLost() : new AnswerLost();
    if (lapsed) await recover({ spaceId: scope.spaceId, callId });
    if (next.state === 'not_kept' && next.charged)
      throw next.background ? eventsNotKept() : answerNotKept(callId);
    row = next;
    if (!row.streamed && clock.elapsedMs() > untilMs) throw keyInFlight();
  }
}

function isLapsed({ state, leaseUntil, charged }: RepeatableRow, now: number): boolean {
  return leaseUntil <= now && (state === 'running' || !charged);
}
