/** Shows, lists the input of, and deletes a kept response for its owner. For everyone else it does not exist. */
import { ownerScope, type Principal } from '../access/principal.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { type IdPageRequest, type PageOrder, unknownCursor, writeIdPage } from '../contract/pages.ts';
import type { InputItemList, ResponseDeleted } from '../contract/responses-answer.ts';
import type { Database } from '../database/database.ts';
import { isId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { callIdOf } from '../text/answer-ids.ts';
import { listedItems } from './input-items.ts';
import { findStoredResponse, isKept, type StoredResponse } from './open-response.store.ts';
import { type Item, readTurn } from './read-turn.ts';
import { responseObject } from './response-object.ts';
import { dropResponses } from './store-responses.ts';

export interface StoredResponseTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly blobs: Blobs;
}

export interface StoredResponseRequest {
  readonly principal: Principal;
  readonly id: string;
  /** Waits until there is room in memory for so many bytes; throws a Problem if there is none in time. */
  room(bytes: number): Promise<void>;
}

/** A response in memory: its texts, its values and the answer. */
const HELD_TIMES = 3;

export async function getKeptResponse(
  request: StoredResponseRequest,
  tools: StoredResponseTools,
): Promise<Item> {
  const stored = await find(request, 'output', tools);
  const turn = await readTurn(stored, tools.blobs);
  if (turn === null) throw noResponse(request.id);
  return responseObject(stored, turn.output);
}

/** Whether it is kept for this principal. */
export async function isKeptFor(
  { principal, id }: Pick<StoredResponseRequest, 'principal' | 'id'>,
  { db, clock }: Pick<StoredResponseTools, 'db' | 'clock'>,
): Promise<boolean> {
  const at = { ...ownerScope(principal), now: clock.now() };
  return isResponseId(id) && (await whenAvailable(() => isKept(db, id, at)));
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

/** It is gone with its media and frees its part of the quota. Later calls cannot refer to it. */
export async function deleteKeptResponse(
  { principal, id }: Pick<StoredResponseRequest, 'principal' | 'id'>,
  { db, clock }: Pick<StoredResponseTools, 'db' | 'clock'>,
): Promise<ResponseDeleted> {
  const at = { ...ownerScope(principal), now: clock.now() };
  const { spaceId } = at;
  const deleted =
    isResponseId(id) &&
    (await whenAvailable(
      async () => (await isKept(db, id, at)) && (await dropResponses(db, [{ id, spaceId }])) > 0,
    ));
  if (!deleted) throw noResponse(id);
  return { id, object: 'response', deleted: true };
}

async function find(
  { principal, id, room }: StoredResponseRequest,
  list: 'input' | 'output',
  { db, clock }: StoredResponseTools,
): Promise<StoredResponse> {
  const at = { ...ownerScope(principal), now: clock.now() };
  const of = { id, callId: callIdOf(id), list };
  const stored = isResponseId(id) ? await whenAvailable(() => findStoredResponse(db, of, at)) : null;
  if (stored === null) throw noResponse(id);
  await room(sizeOf(stored) * HELD_TIMES);
  return stored;
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
