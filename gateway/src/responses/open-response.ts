/** Shows, lists the input of, and deletes a kept response for its owner. For everyone else it does not exist. */
import { ownerScope, type Principal } from '../access/principal.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { type IdPageRequest, type PageOrder, unknownCursor, writeIdPage } from '../contract/pages.ts';
import type { InputItemList, ResponseDeleted } from '../contract/responses-answer.ts';
import type { Database } from '../database/database.ts';
import { isId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { type Clock, pause } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { StoredAnswers } from '../stored-answers/stored-answers.ts';
import { callIdOf } from '../text/answer-ids.ts';
import { listedItems } from './input-items.ts';
import type { KeptState } from './kept-responses.store.ts';
import { findState, findStoredResponse, type StoredResponse } from './open-response.store.ts';
import { type Item, readTurn } from './read-turn.ts';
import { responseObject } from './response-object.ts';
import { dropResponses } from './store-responses.ts';

export interface StoredResponseTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly blobs: Blobs;
  readonly answers: Pick<StoredAnswers, 'cancel' | 'recover' | 'settled'>;
}

interface NamedResponse {
  readonly principal: Principal;
  readonly id: string;
}

export interface StoredResponseRequest extends NamedResponse {
  /** Waits until there is room in memory for so many bytes; throws a Problem if there is none in time. */
  room(bytes: number): Promise<void>;
}

/** A response in memory: its texts, its values and the answer. */
const HELD_TIMES = 3;

export async function getKeptResponse(
  request: StoredResponseRequest,
  tools: StoredResponseTools,
): Promise<Item> {
  return await objectOf(await find(request, 'output', tools), tools);
}

/** Null if it is not kept. */
export async function findKeptResponse(
  request: StoredResponseRequest,
  tools: StoredResponseTools,
): Promise<Item | null> {
  try {
    return await getKeptResponse(request, tools);
  } catch (error) {
    if (error instanceof Problem && error.code === 'response_not_found') return null;
    throw error;
  }
}

async function objectOf(stored: StoredResponse, { blobs }: StoredResponseTools): Promise<Item> {
  const turn = await readTurn(stored, blobs);
  if (turn === null) throw noResponse(stored.id);
  return responseObject(stored, turn.output);
}

/** How long a cancellation waits until the response has ended: longer than a process that died keeps its claim. */
const CANCEL_WAIT_MS = 12_000;
const CANCEL_CHECK_MS = 100;

/** Ends a background response. One that has ended is returned as it is. */
export async function cancelKeptResponse(
  request: StoredResponseRequest,
  tools: StoredResponseTools,
): Promise<Item> {
  const stored = await find(request, 'output', tools);
  const { background } = JSON.parse(stored.head ?? '{}') as Item;
  if (background !== true) {
    throw new Problem('invalid_parameter', {
      detail: 'Only a background response can be cancelled. Close the connection to stop any other call.',
      param: 'response_id',
    });
  }
  if (stored.state !== 'running') return await objectOf(stored, tools);
  await endRunning(request, tools);
  return await objectOf(await find(request, 'output', tools), tools);
}

/** Cancels a running response, and waits until it has ended. */
async function endRunning(
  { principal, id }: NamedResponse,
  { db, clock, answers }: Pick<StoredResponseTools, 'db' | 'clock' | 'answers'>,
): Promise<void> {
  const call = { spaceId: principal.spaceId, callId: callIdOf(id) };
  const untilMs = clock.elapsedMs() + CANCEL_WAIT_MS;
  await answers.cancel(call);
  for (;;) {
    await pause(clock, CANCEL_CHECK_MS);
    if ((await findKeptState({ principal, id }, { db, clock })) !== 'running') return;
    if (clock.elapsedMs() > untilMs) return;
    await answers.recover(call);
  }
}

/** Undefined if it is not kept for this principal. */
export async function findKeptState(
  { principal, id }: NamedResponse,
  { db, clock }: Pick<StoredResponseTools, 'db' | 'clock'>,
): Promise<KeptState | undefined> {
  const at = { ...ownerScope(principal), now: clock.now() };
  return isResponseId(id) ? await whenAvailable(() => findState(db, id, at)) : undefined;
}

/** The items that the request of the response sent, without the conversation before it. */
export async function listInputItems(
  request: StoredResponseRequest & { page: IdPageRequest & { order: PageOrder } },
  tools: StoredResponseTools,
): Promise<InputItemList> {
  const { after, limit, order } = request.page;
  const turn = await readTurn(await find(request, 'input', tools), tools.blobs);
  if (turn === null) throw noResponse(request.id);
  const items = listedItems(request.id, turn.input);
  if (order === 'desc') items.reverse();
  const from = after === null ? 0 : items.findIndex(({ id }) => id === after) + 1;
  if (after !== null && from === 0) throw unknownCursor('an input item', after);
  return writeIdPage(items.slice(from, from + limit + 1), limit);
}

/** It is gone with its media and frees its part of the quota. Later calls cannot refer to it. A running one is cancelled. */
export async function deleteKeptResponse(
  { principal, id }: NamedResponse,
  tools: Pick<StoredResponseTools, 'db' | 'clock' | 'answers'>,
): Promise<ResponseDeleted> {
  const state = await findKeptState({ principal, id }, tools);
  if (state === undefined) throw noResponse(id);
  if (state === 'running') await endRunning({ principal, id }, tools);
  const { spaceId } = principal;
  if ((await whenAvailable(() => dropResponses(tools.db, [{ id, spaceId }]))) === 0) throw noResponse(id);
  return { id, object: 'response', deleted: true };
}

async function find(
  { principal, id, room }: StoredResponseRequest,
  list: 'input' | 'output',
  { db, clock, answers }: StoredResponseTools,
): Promise<StoredResponse> {
  const at = { ...ownerScope(principal), now: clock.now() };
  const of = { id, callId: callIdOf(id), list };
  let stored = isResponseId(id) ? await whenAvailable(() => findStoredResponse(db, of, at)) : null;
  if (stored !== null && mayChange(stored)) {
    const call = { spaceId: at.spaceId, callId: of.callId };
    if (stored.state === 'running') await answers.recover(call);
    stored = await whenAvailable(() => findStoredResponse(db, of, at));
    // Nobody sees the end of a response before it is charged.
    if (stored !== null && stored.state !== 'running') {
      if (!(await answers.settled(call))) throw notSettled();
      stored = await whenAvailable(() => findStoredResponse(db, of, at));
    }
  }
  if (stored === null) throw noResponse(id);
  await room(sizeOf(stored) * HELD_TIMES);
  return stored;
}

/** A background response that has not ended, or may not be charged yet. */
function mayChange({ state, head, cost }: StoredResponse): boolean {
  return state === 'running' || (cost === null && (JSON.parse(head ?? '{}') as Item).background === true);
}

function notSettled(): Problem {
  return new Problem('service_unavailable', {
    detail: 'The charge of this response is not stored yet. Send the request again in a moment.',
  });
}

function sizeOf({ input, output, head, media }: StoredResponse): number {
  const texts = input.length + output.length + (head?.length ?? 0);
  return (media ?? []).reduce((sum, { bytes }) => sum + bytes, texts);
}

function isResponseId(id: string): boolean {
  return id.startsWith('resp_') && isId('req', callIdOf(id));
}

function noResponse(id: string): Problem {
  return new Problem('response_not_found', {
    detail: `There is no kept response ${JSON.stringify(id.slice(0, 100))} that this key can read.`,
    param: 'response_id',
  });
}
