/**
 * Deletes a file of a caller. One transaction deletes the row and leaves the blob to the blob keeper, so a crash at any
 * point leaves either the whole file or a blob that the keeper deletes.
 */
import type { Principal } from '../access/principal.ts';
import { deleteFile, lockFile } from '../batch-files/files.store.ts';
import { type FileTools, getFile, noFile } from '../batch-files/open-file.ts';
import { abandonBlobs } from '../blobs/pending-blobs.store.ts';
import type { FileDeleted } from '../contract/files.ts';
import { Problem } from '../kernel/problem.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { findBatchWithInput } from './expired-files.store.ts';

export async function deleteOwnFile(
  request: { principal: Principal; id: string },
  tools: FileTools,
): Promise<FileDeleted> {
  const { id, blob } = await getFile(request, tools);
  await whenAvailable(() =>
    tools.db.transaction(async (tx) => {
      await abandonBlobs(tx, [blob]);
      // A statement of its own, so that the next one sees a batch that was submitted meanwhile.
      if (!(await lockFile(tx, id))) throw noFile(id, 'file_id');
      const batchId = await findBatchWithInput(tx, id);
      if (batchId !== null) throw inUse(batchId);
      await deleteFile(tx, id);
    }),
  );
  return { id, object: 'file', deleted: true };
}

function inUse(batchId: string): Problem {
  return new Problem('file_in_use', {
    detail: `The file is the input of ${batchId}, which is not settled. Delete it when settlement_status of that batch is settled.`,
    param: 'file_id',
  });
}
