/** Says to callers that what files are kept in is away or full, whichever part of it that is. */
import { BlobsUnavailable } from '../blobs/blobs.ts';
import { DatabaseUnavailable } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';

export async function whenStored<T>(
  work: () => Promise<T>,
  code: 'service_unavailable' | 'REFERENCE_UPLOAD_UNAVAILABLE' = 'service_unavailable',
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable || error instanceof BlobsUnavailable)) throw error;
    throw new Problem(code, {
      detail: 'Files cannot be kept or read at the moment; try again a little later.',
      cause: error,
    });
  }
}
