/** Uploads a checked file and submits it as a batch. Each step is carried out once, even if it is sent again. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { BatchObject } from '../../../../gateway/src/contract/batches.ts';
import type { FileObject } from '../../../../gateway/src/contract/files.ts';
import { askGateway } from '../../api/ask-gateway.ts';
import { isAbort } from '../../api/failure.ts';
import { uploadToGateway } from '../../api/upload-to-gateway.ts';

export type UploadState =
  | { readonly phase: 'idle' }
  | { readonly phase: 'uploading'; readonly share: number }
  | { readonly phase: 'submitting' }
  | { readonly phase: 'failed'; readonly error: unknown };

export interface BatchUploading {
  readonly state: UploadState;
  start(upload: { key: string; file: File; endpoint: string }): Promise<string | null>;
}

/** Leaving the page stops it. */
export function useBatchUpload(): BatchUploading {
  const [state, setState] = useState<UploadState>({ phase: 'idle' });
  const queries = useQueryClient();
  const leaving = useRef<AbortController | null>(null);
  useEffect(() => () => leaving.current?.abort(), []);
  const start = useCallback(
    async ({
      key,
      file,
      endpoint,
    }: {
      key: string;
      file: File;
      endpoint: string;
    }): Promise<string | null> => {
      const call = new AbortController();
      leaving.current = call;
      const { signal } = call;
      try {
        setState({ phase: 'uploading', share: 0 });
        const form = new FormData();
        form.set('purpose', 'batch');
        form.set('file', file, file.name);
        const uploaded = await uploadToGateway<FileObject>('/v1/files', {
          key,
          form,
          signal,
          repeatKey: crypto.randomUUID(),
          onProgress: (share) => setState({ phase: 'uploading', share }),
        });
        setState({ phase: 'submitting' });
        const submitted = await askGateway('/v1/batches', {
          key,
          signal,
          headers: { 'idempotency-key': crypto.randomUUID() },
          body: { input_file_id: uploaded.id, endpoint, completion_window: '24h' },
        });
        const { id } = (await submitted.json()) as BatchObject;
        setState({ phase: 'idle' });
        await queries.invalidateQueries();
        return id;
      } catch (error) {
        setState(isAbort(error) ? { phase: 'idle' } : { phase: 'failed', error });
        return null;
      }
    },
    [queries],
  );
  return { state, start };
}
