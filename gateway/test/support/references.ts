/** References that are there already, of any uploader. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { encodePng } from '../../simulator/brain/png.ts';
import { DiskBlobs } from '../../src/blobs/disk.ts';
import {
  type ReferenceKind,
  type ReferenceTrack,
  referenceSchemes,
} from '../../src/contract/reference-kinds.ts';
import type { Transaction } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { newId } from '../../src/kernel/ids.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { insertReference } from '../../src/media/references.store.ts';
import type { TestGateway } from './gateway.ts';

export const redPng = Buffer.from(encodePng({ red: 220, green: 20, blue: 20 }, 16));
export const bluePng = Buffer.from(encodePng({ red: 20, green: 20, blue: 220 }, 16));

export interface ReferenceToKeep {
  readonly bytes?: Buffer;
  readonly mimeType?: string;
  readonly kind?: ReferenceKind;
  readonly track?: ReferenceTrack;
  readonly space?: string;
  readonly expiresAt?: number;
  /** Further data folders that have the blob, where several processes have one each. */
  readonly folders?: readonly string[];
}

/** Answers the reference as it stands in requests. */
export async function keepReference(gateway: TestGateway, given: ReferenceToKeep = {}): Promise<string> {
  const now = systemClock.now();
  const { bytes = redPng, mimeType = 'image/png', kind = 'image', track = 'file', space = 'acme' } = given;
  const { expiresAt = now + 30 * DAY_MS, folders = [] } = given;
  const [row] = await gateway.query<{ id: string }>(sql`select id from spaces where name = ${space}`);
  const id = newId('ref', now);
  for (const folder of [gateway.folder, ...folders]) {
    const sink = await new DiskBlobs(join(folder, 'blobs')).write(id);
    await sink.append(bytes);
    await sink.commit();
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const tx = { query: gateway.query } as Transaction;
  await insertReference(tx, {
    ...{ id, spaceId: row?.id ?? '', owner: 'test', track, kind, mimeType, bytes: bytes.length, sha256 },
    ...{ createdAt: now, expiresAt },
  });
  return `${referenceSchemes[track]}${id}`;
}
