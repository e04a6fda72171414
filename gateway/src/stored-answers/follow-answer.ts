/**
 * Reads a stored answer. While this process runs its call, new events are read from memory. Earlier ones are read from the
 * store, again and again while another process runs the call.
 */
import type { Database } from '../database/database.ts';
import { readAgain } from '../database/deadlines.ts';
import { type Clock, pause } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { keyInFlight, notKept, responseLost, streamLost, tooLargeToFollow } from './answer-problems.ts';
import { findByKey, findParts } from './answers.store.ts';
import { eventsIn } from './event-numbers.ts';
import { type AnswerHeaders, RunningAnswer } from './running-answer.ts';
import { isLapsed, type NamedCall, type StoredAnswer } from './stored-answer.ts';

/** `first`: this request runs the call. `elsewhere`: another process runs it. */
export type Begun =
  | { readonly kind: 'first' | 'joined'; readonly answer: RunningAnswer }
  | { readonly kind: 'elsewhere' | 'stored'; readonly answer: StoredAnswer };

/** How often the store is read for the events of a call in another process. */
const POLL_MS = 250;

export interface FollowTools {
  readonly db: Database;
  readonly clock: Clock;
  /** Has the end of a background call declared if its process died. */
  recover(call: NamedCall): Promise<void>;
}

export interface Following {
  /** Events up to this number are left out. */
  readonly after: number;
  /** How long an answer in one piece of another process is waited for. */
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
  { kind, answer }: Begun,
  following: Following,
  tools: FollowTools,
): AsyncGenerator<AnswerPiece> {
  if (answer instanceof RunningAnswer) yield* followHere(answer, following, tools);
  else yield* followStored(answer, { ...following, stored: kind === 'stored' }, tools);
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
        const held = answer.eventsAfter(last);
        const events = held ?? (await storedEvents(answer, last, db));
        if (events.text !== '') yield { headers, text: events.text };
        last = Math.max(events.last, last);
        if (held === null) continue;
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
  const { firstHeld } = answer;
  // Everything that left the memory is before the end, so the state of the row does not matter.
  const parts = await readParts(db, answer, { after, stored: true });
  // The last ones may be the end, which is stored before it is charged.
  const open = [
    ...eventsIn(
      parts.filter((part) => part.firstEvent < firstHeld),
      after,
    ),
  ];
  // Nothing is stored of a call that failed, or whose key or end another process has.
  const { last } = open.at(-1) ?? {};
  if (last === undefined) throw answer.failure ?? (answer.background ? responseLost() : streamLost());
  return { text: open.map(({ text }) => text).join(''), last };
}

async function* followStored(
  first: StoredAnswer,
  following: Following & { stored: boolean },
  { db, clock, recover }: FollowTools,
): AsyncGenerator<AnswerPiece> {
  const { signal } = following;
  const { callId, streamed } = first;
  const untilMs = clock.elapsedMs() + following.waitMs;
  let last = following.after;
  let sent = false;
  let answer = first;
  while (!signal.aborted) {
    const stored = following.stored || (answer.state === 'answered' && answer.charged);
    if (stored || streamed) {
      const parts = await readParts(db, answer, { after: last, stored });
      // The head is stored with the end.
      const headers = JSON.parse(answer.head ?? '{}') as AnswerHeaders;
      const pieces = streamed ? eventsIn(parts, last) : parts.map(({ body }) => ({ text: body, last: 1 }));
      for (const piece of pieces) {
        yield { headers, text: piece.text };
        last = piece.last;
        sent = true;
      }
    }
    if (stored) return;
    await pause(clock, POLL_MS, signal);
    if (signal.aborted) return;
    const next = await whenAvailable(() => readAgain(() => findByKey(db, first)));
    const lapsed = next?.callId === callId && isLapsed(next, clock.now());
    if (next === null || next.callId !== callId || (lapsed && !next.background))
      throw sent ? streamLost() : new AnswerLost();
    if (lapsed) await recover(next);
    if (next.state === 'not_kept' && next.charged) throw notKept(next);
    answer = next;
    if (!streamed && clock.elapsedMs() > untilMs) throw keyInFlight();
  }
}

async function readParts(...of: Parameters<typeof findParts>): ReturnType<typeof findParts> {
  return await whenAvailable(() => readAgain(() => findParts(...of)));
}
