/** A file as the API shows it. Pure. */
import type { FileObject } from '../contract/files.ts';
import { unixSecondsOf } from '../kernel/time.ts';
import type { ListedFile } from './files.store.ts';

export function fileObject(file: ListedFile): FileObject {
  const { id, filename, purpose, bytes, createdAt } = file;
  const created_at = unixSecondsOf(createdAt);
  return { id, object: 'file', filename, purpose, bytes, created_at, status: 'processed' };
}
