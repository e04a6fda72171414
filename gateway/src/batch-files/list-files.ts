/** Lists the files of a caller. */
import { ownerScope, type Principal } from '../access/principal.ts';
import type { FileList, FilePurpose } from '../contract/files.ts';
import { type IdPageRequest, type PageOrder, unknownCursor, writeIdPage } from '../contract/pages.ts';
import { isId } from '../kernel/ids.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { fileObject } from './file-object.ts';
import { findFilePage, findOwnFile, type ListedFile } from './files.store.ts';
import type { FileTools } from './open-file.ts';

/** A large page is read in parts, so that other statements get their turn on the embedded engine. */
const ROWS_AT_ONCE = 500;

export interface FilePageRequest extends IdPageRequest {
  readonly order: PageOrder;
  /** Null: files of every purpose. */
  readonly purpose: FilePurpose | null;
}

export async function listOwnFiles(
  request: { principal: Principal; page: FilePageRequest },
  { db, clock }: Pick<FileTools, 'db' | 'clock'>,
): Promise<FileList> {
  const { principal, page } = request;
  const { after, limit } = page;
  const at = { ...ownerScope(principal), now: clock.now() };
  return await whenAvailable(async () => {
    if (after !== null && (!isId('file', after) || (await findOwnFile(db, after, at)) === null))
      throw unknownCursor('a file', after);
    const files: ListedFile[] = [];
    for (let more = true; more && files.length <= limit; ) {
      const rows = Math.min(ROWS_AT_ONCE, limit - files.length);
      const found = await findFilePage(db, at, { ...page, after: files.at(-1)?.id ?? after, limit: rows });
      files.push(...found);
      more = found.length > rows;
    }
    return writeIdPage(files.map(fileObject), limit);
  });
}
