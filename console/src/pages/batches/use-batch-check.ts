/** Checks a file in the browser, by the rules of the upload. */
import { useCallback, useRef, useState } from 'react';
import { type CheckedStream, checkBatchStream } from '../../../../gateway/src/client/check-batch-stream.ts';
import { RoughBatchEstimator } from '../../../../gateway/src/client/rough-batch-estimate.ts';
import {
  BAD_ROWS_MAX,
  BATCH_FILE_BYTES_MAX,
} from '../../../../gateway/src/contract/batch-lines/batch-limits.ts';
import type { ModelObject } from '../../../../gateway/src/contract/models.ts';

export type BatchCheck =
  | { readonly phase: 'none' }
  | { readonly phase: 'checking'; readonly file: File; readonly share: number }
  | { readonly phase: 'tooLarge'; readonly file: File }
  | { readonly phase: 'unreadable'; readonly file: File; readonly reason: string }
  | {
      readonly phase: 'checked';
      readonly file: File;
      readonly checked: CheckedStream;
      /** The prices may change after the check: they are those of the key. */
      readonly estimator: RoughBatchEstimator;
    };

/** Between turns of the event loop, so that the page stays alive. */
const PIECE_BYTES = 1_000_000;

export interface BatchChecking {
  readonly check: BatchCheck;
  start(file: File, models: readonly ModelObject[]): void;
  discard(): void;
}

export function useBatchCheck(): BatchChecking {
  const [check, setCheck] = useState<BatchCheck>({ phase: 'none' });
  const current = useRef<File | null>(null);
  const start = useCallback((file: File, models: readonly ModelObject[]) => {
    current.current = file;
    if (file.size > BATCH_FILE_BYTES_MAX) {
      setCheck({ phase: 'tooLarge', file });
      return;
    }
    const show = (next: BatchCheck): void => {
      if (current.current === file) setCheck(next);
    };
    show({ phase: 'checking', file, share: 0 });
    const estimator = new RoughBatchEstimator();
    checkBatchStream(piecesOf(file), {
      models,
      badRowsMax: BAD_ROWS_MAX,
      onRow: (facts) => estimator.add(facts),
      onProgress: (bytes) => show({ phase: 'checking', file, share: bytes / file.size }),
    }).then(
      (checked) => show({ phase: 'checked', file, checked, estimator }),
      (thrown: unknown) => show({ phase: 'unreadable', file, reason: String(thrown) }),
    );
  }, []);
  const discard = useCallback(() => {
    current.current = null;
    setCheck({ phase: 'none' });
  }, []);
  return { check, start, discard };
}

async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += PIECE_BYTES)
    yield new Uint8Array(await file.slice(at, at + PIECE_BYTES).arrayBuffer());
}
