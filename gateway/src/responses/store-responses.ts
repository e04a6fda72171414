/** The transactions that add kept responses and drop them, together with their media and the space's usage. */
import type { Database, Transaction } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { deleteUnusedMedia, findMediaOf, insertKeptMedia, insertMediaUses } from './kept-media.store.ts';
import {
  deleteResponses,
  findOldestResponses,
  insertKeptResponses,
  type KeptResponse,
} from './kept-responses.store.ts';
import { lockUsage, moveUsage } from './kept-usage.store.ts';
import type { StoredMedium } from './media-keeper.ts';

export interface ResponseToKeep extends KeptResponse {
  readonly media: readonly StoredMedium[];
}

/** A group has some megabytes, which a busy disk may take a while for. */
const WRITE_MS_MAX = 10_000;
/** Of one space, dropped by one transaction. */
const DROP_ROWS_MAX = 500;

/** Writes a group; of a space that then keeps more than its quota the oldest responses are dropped. */
export async function addResponses(
  db: Database,
  responses: readonly ResponseToKeep[],
  quotaBytes: number,
): Promise<void> {
  await db.transaction(
    async (tx) => {
      const hold = responses.filter(({ media }) => media.length > 0);
      // Usage is locked before media are, as it is by whoever drops responses.
      if (hold.length > 0) await lockUsage(tx, [...new Set(hold.map(({ spaceId }) => spaceId))]);
      const added = await insertKeptResponses(tx, responses);
      const media = hold.length === 0 ? [] : await addMedia(tx, hold);
      const usage = await moveUsage(tx, [
        ...added.map((one) => ({ ...one, responses: 1 })),
        ...media.map(({ spaceId, bytes }) => ({ spaceId, bytes, responses: 0 })),
      ]);
      for (const { spaceId, bytes } of usage) {
        if (bytes <= quotaBytes) continue;
        const over = { bytes: bytes - quotaBytes, rowsMax: DROP_ROWS_MAX };
        await drop(tx, await findOldestResponses(tx, spaceId, over));
      }
    },
    { timeoutMs: WRITE_MS_MAX },
  );
}

export async function dropResponses(
  db: Database,
  responses: ReadonlyArray<{ id: string; spaceId: string }>,
): Promise<void> {
  await db.transaction(
    async (tx) => {
      await lockUsage(tx, [...new Set(responses.map(({ spaceId }) => spaceId))]);
      await drop(
        tx,
        responses.map(({ id }) => id),
      );
    },
    { timeoutMs: LONG_ANSWER_MS },
  );
}

async function drop(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const held = await findMediaOf(tx, ids);
  const dropped = await deleteResponses(tx, ids);
  const media = held.length === 0 ? [] : await deleteUnusedMedia(tx, held);
  await moveUsage(tx, [
    ...dropped.map(({ spaceId, bytes }) => ({ spaceId, responses: -1, bytes: -bytes })),
    ...media.map(({ spaceId, bytes }) => ({ spaceId, responses: 0, bytes: -bytes })),
  ]);
}

async function addMedia(
  tx: Transaction,
  hold: readonly ResponseToKeep[],
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
  // What lost to another call with the same medium is deleted as a blob that nothing refers to.
  for (const { blob } of blobs) if (winners.has(blob.name)) await blob.adopt(tx);
  const uses = hold.flatMap(({ id, spaceId, owner, media }) =>
    media.map(({ place, sha256 }) => ({ responseId: id, place, sha256, scope: { spaceId, owner } })),
  );
  if ((await insertMediaUses(tx, uses)) < uses.length) {
    throw new Error('a medium of the response was dropped while the response was being stored');
  }
  return added;
}
