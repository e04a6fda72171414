/** The transactions that add and delete kept responses, together with their media and the usage of their space. */
import type { Database, Transaction } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { deleteUnusedMedia, findMediaOf, insertKeptMedia, insertMediaUses } from './kept-media.store.ts';
import {
  deleteResponses,
  endResponse,
  findOldestResponses,
  insertKeptResponses,
  type KeptResponse,
  type ResponseEnd,
} from './kept-responses.store.ts';
import { type KeptUsage, lockUsage, moveUsage } from './kept-usage.store.ts';
import type { StoredMedium } from './media-keeper.ts';

export interface ResponseToKeep extends KeptResponse {
  readonly media: readonly StoredMedium[];
}

type MediaHolder = Pick<ResponseToKeep, 'id' | 'spaceId' | 'owner' | 'media'>;

/** A group may have several megabytes, which take time on a busy disk. */
export const WRITE_MS_MAX = 10_000;
/** Responses of one space that one transaction deletes. */
const DROP_ROWS_MAX = 500;

/** Writes a group. If a space then exceeds its quota, its oldest responses are deleted. */
export async function addResponses(
  db: Database,
  responses: readonly ResponseToKeep[],
  quotaBytes: number,
): Promise<void> {
  await db.transaction((tx) => addResponsesIn(tx, responses, quotaBytes), { timeoutMs: WRITE_MS_MAX });
}

/** As part of a transaction. */
export async function addResponsesIn(
  tx: Transaction,
  responses: readonly ResponseToKeep[],
  quotaBytes: number,
): Promise<void> {
  const hold = responses.filter(({ media }) => media.length > 0);
  // Usage is locked before media, in the same order as in a deletion.
  if (hold.length > 0) await lockUsage(tx, [...new Set(hold.map(({ spaceId }) => spaceId))]);
  const added = await insertKeptResponses(tx, responses);
  const media = hold.length === 0 ? [] : await addMedia(tx, hold);
  await addUsage(
    tx,
    [
      ...added.map((one) => ({ ...one, responses: 1 })),
      ...media.map(({ spaceId, bytes }) => ({ spaceId, bytes, responses: 0 })),
    ],
    quotaBytes,
  );
}

/** Writes the end of a background response. Has no effect if it was deleted. */
export async function endResponseIn(
  tx: Transaction,
  end: ResponseEnd & MediaHolder,
  quotaBytes: number,
): Promise<void> {
  await lockUsage(tx, [end.spaceId]);
  const grown = await endResponse(tx, end);
  if (grown === null) return;
  const media = end.media.length === 0 ? [] : await addMedia(tx, [end]);
  const bytes = media.reduce((sum, medium) => sum + medium.bytes, grown);
  await addUsage(tx, [{ spaceId: end.spaceId, responses: 0, bytes }], quotaBytes);
}

async function addUsage(tx: Transaction, changes: readonly KeptUsage[], quotaBytes: number): Promise<void> {
  for (const { spaceId, bytes } of await moveUsage(tx, changes)) {
    if (bytes <= quotaBytes) continue;
    const over = { bytes: bytes - quotaBytes, rowsMax: DROP_ROWS_MAX };
    await drop(tx, await findOldestResponses(tx, spaceId, over));
  }
}

/** Returns how many were deleted: others may have deleted some of them. */
export async function dropResponses(
  db: Database,
  responses: ReadonlyArray<{ id: string; spaceId: string }>,
): Promise<number> {
  return await db.transaction(
    async (tx) => {
      await lockUsage(tx, [...new Set(responses.map(({ spaceId }) => spaceId))]);
      return await drop(
        tx,
        responses.map(({ id }) => id),
      );
    },
    { timeoutMs: LONG_ANSWER_MS },
  );
}

async function drop(tx: Transaction, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const held = await findMediaOf(tx, ids);
  const dropped = await deleteResponses(tx, ids);
  const media = held.length === 0 ? [] : await deleteUnusedMedia(tx, held);
  await moveUsage(tx, [
    ...dropped.map(({ spaceId, bytes }) => ({ spaceId, responses: -1, bytes: -bytes })),
    ...media.map(({ spaceId, bytes }) => ({ spaceId, responses: 0, bytes: -bytes })),
  ]);
  return dropped.length;
}

async function addMedia(
  tx: Transaction,
  hold: readonly MediaHolder[],
): Promise<Array<{ spaceId: string; bytes: number }>> {
  const blobs = hold.flatMap(({ media, spaceId, owner }) =>
    media.flatMap(({ blob, sha256, bytes }) =>
      blob === null ? [] : [{ blob, row: { id: blob.name, spaceId, owner, sha256, bytes } }],
    ),
  );
  const added =
    blobs.length === 0
      ? []
      : await insertKeptMedia(
          tx,
          blobs.map(({ row }) => row),
        );
  const winners = new Set(added.map(({ id }) => id));
  // The blob of a medium that another call stored first has no row, so the blob keeper deletes it.
  for (const { blob } of blobs) if (winners.has(blob.name)) await blob.adopt(tx);
  const uses = hold.flatMap(({ id, spaceId, owner, media }) =>
    media.map(({ place, sha256 }) => ({ responseId: id, place, sha256, scope: { spaceId, owner } })),
  );
  if ((await insertMediaUses(tx, uses)) < uses.length) {
    throw new Error('a medium of the response was deleted while the response was being stored');
  }
  return added;
}
