/** Says to callers that what files, batches and videos are kept in is away or full, whichever part it is. */
import { BlobsUnavailable } from '../blobs/blobs.ts';
import { DatabaseUnavailable } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';

const RETRY_AFTER_MS = 1_000;

export async function whenStored<T>(
  work: () => Promise<T>,
  code: 'service_unavailable' | 'REFERENCE_UPLOAD_UNAVAILABLE' = 'service_unavailable',
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable || error instanceof BlobsUnavailable)) throw error;
    throw new Problem(code, {
      detail: 'The gateway cannot reach its storage at the moment; try again a little later.',
      retryAfterMs: RETRY_AFTER_MS,
      cause: error,
    });
  }
}
