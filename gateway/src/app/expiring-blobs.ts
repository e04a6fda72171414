/** The tables whose rows own a blob and expire. */
import { deleteFile } from '../batch-files/files.store.ts';
import { findExpiredFiles } from '../batches/expired-files.store.ts';
import type { ExpiringBlobs } from '../blobs/blob-keeper.ts';
import { deleteMedia, findExpiredMedia } from '../media/media.store.ts';
import { deleteReference, findExpiredReferences } from '../media/references.store.ts';

export const expiringBlobs: readonly ExpiringBlobs[] = [
  { find: findExpiredFiles, delete: deleteFile },
  { find: findExpiredReferences, delete: deleteReference },
  { find: findExpiredMedia, delete: deleteMedia },
];
