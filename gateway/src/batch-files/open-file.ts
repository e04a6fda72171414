/** Finds a file for a caller, and opens its bytes. Missing, expired and foreign files get the same answer. */
import type { Readable } from 'node:stream';
import { type Person, roleIn } from '../access/person.ts';
import { ownerOf, type Principal } from '../access/principal.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import { isId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { findAnyFile, findOwnFile, type StoredFile } from './files.store.ts';

export interface FileTools {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
}

export async function getFile(
  request: { principal: Principal; id: string },
  { db, clock }: FileTools,
): Promise<StoredFile> {
  const { principal, id } = request;
  const scope = { spaceId: principal.spaceId, owner: ownerOf(principal), now: clock.now() };
  const file = isId('file', id) ? await whenAvailable(() => findOwnFile(db, id, scope)) : null;
  if (file !== null) return file;
  throw noFile(id, 'file_id');
}

export function noFile(id: string, param: string): Problem {
  const shown = JSON.stringify(id.slice(0, 100));
  return new Problem('file_not_found', {
    detail: `There is no file ${shown} that this key can read.`,
    param,
  });
}

/** For administrators of a space: the result files of batches that a person submitted. */
export async function getResultFile(
  request: { person: Person; id: string },
  { db, clock }: FileTools,
): Promise<StoredFile> {
  const { person, id } = request;
  const file = isId('file', id) ? await whenAvailable(() => findAnyFile(db, id, clock.now())) : null;
  const role = file === null ? null : roleIn(person, file.spaceId);
  const readable = file?.purpose === 'batch_output' && isId('mem', file.owner);
  if (file !== null && readable && (role === 'admin' || role === 'operator')) return file;
  throw new Problem('file_not_found', {
    detail: `There is no file ${JSON.stringify(id.slice(0, 100))} that you can read.`,
    param: 'file_id',
  });
}

export async function openFile(file: StoredFile, { blobs }: FileTools): Promise<Readable> {
  const stream = await whenAvailable(() => blobs.open(file.blob));
  if (stream === null) throw new Error(`the blob of ${file.id} is missing`);
  return stream;
}
