import { useCallback, useEffect, useState } from 'react';
import type { ModelObject } from '../../../../gateway/src/contract/models.ts';
import { asFailure, type Failure } from '../../api/failure.ts';
import { listModels } from '../../api/list-models.ts';
import { keepSessionKey, readSessionKey } from './session-key.ts';

export type ModelsState =
  | { readonly phase: 'no-key' }
  | { readonly phase: 'asking' }
  | { readonly phase: 'ready'; readonly models: readonly ModelObject[] }
  | { readonly phase: 'failed'; readonly failure: Failure };

export interface KeyConnection {
  readonly key: string;
  readonly models: ModelsState;
  /** Takes a key and asks for its models, also when it is the same key again; empty forgets it. */
  connect(key: string): void;
}

export function useModels(): KeyConnection {
  // A new object for every attempt, so that the same key can be tried again.
  const [attempt, setAttempt] = useState(() => ({ key: readSessionKey() }));
  const [models, setModels] = useState<ModelsState>({ phase: attempt.key === '' ? 'no-key' : 'asking' });

  useEffect(() => {
    if (attempt.key === '') return;
    const leaving = new AbortController();
    listModels(attempt.key, leaving.signal).then(
      (list) => {
        if (!leaving.signal.aborted) setModels({ phase: 'ready', models: list });
      },
      (thrown: unknown) => {
        if (!leaving.signal.aborted) setModels({ phase: 'failed', failure: asFailure(thrown) });
      },
    );
    return () => leaving.abort();
  }, [attempt]);

  const connect = useCallback((key: string) => {
    keepSessionKey(key);
    setModels({ phase: key === '' ? 'no-key' : 'asking' });
    setAttempt({ key });
  }, []);
  return { key: attempt.key, models, connect };
}
