/** A reference as the API shows it: after its upload, and in a list. Pure. */
import { referenceSchemes } from '../contract/reference-kinds.ts';
import type { ReferenceObject, ReferenceUpload } from '../contract/references.ts';
import { unixSecondsOf } from '../kernel/time.ts';
import type { StoredReference } from './references.store.ts';

export function referenceUpload({ id, track, bytes }: StoredReference): ReferenceUpload {
  return { file_id: id, reference: `${referenceSchemes[track]}${id}`, bytes, track };
}

export function referenceObject(stored: StoredReference): ReferenceObject {
  return {
    id: stored.id,
    object: 'reference',
    ...referenceUpload(stored),
    kind: stored.kind,
    mime_type: stored.mimeType,
    created_at: unixSecondsOf(stored.createdAt),
  };
}
