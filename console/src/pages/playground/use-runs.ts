/** The calls that run side by side, one for each model. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { asFailure, type Failure, isAbort } from '../../api/failure.ts';
import { noPlayAnswer, type PlayAnswer } from './read-play.ts';
import { sendRequest } from './send-request.ts';
import type { PlayRequest } from './write-request.ts';

export interface PlayRun {
  readonly model: string;
  readonly phase: 'waiting' | 'answering' | 'answered' | 'stopped' | 'failed';
  readonly answer: PlayAnswer;
  readonly requestId: string | null;
  readonly firstTokenMs: number | null;
  readonly totalMs: number | null;
  readonly failure: Failure | null;
}

export interface Runs {
  readonly runs: readonly PlayRun[];
  readonly busy: boolean;
  send(key: string, requests: readonly PlayRequest[]): void;
  /** Ends all calls, here and at their providers. */
  stop(): void;
}

const fresh = {
  phase: 'waiting',
  answer: noPlayAnswer,
  requestId: null,
  firstTokenMs: null,
  totalMs: null,
  failure: null,
} as const;

/** Leaving the page stops what runs. */
export function useRuns(): Runs {
  const [runs, setRuns] = useState<readonly PlayRun[]>([]);
  const current = useRef<AbortController | null>(null);
  const stop = useCallback(() => current.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const send = useCallback((key: string, requests: readonly PlayRequest[]) => {
    current.current?.abort();
    const all = new AbortController();
    current.current = all;
    setRuns(requests.map(({ body }) => ({ ...fresh, model: String(body.model) })));
    for (const [place, request] of requests.entries()) {
      const startedMs = performance.now();
      const change = (changes: Partial<PlayRun>): void => {
        if (current.current !== all) return;
        setRuns((before) => before.map((run, i) => (i === place ? { ...run, ...changes } : run)));
      };
      const end = (changes: Partial<PlayRun>): void =>
        change({ totalMs: performance.now() - startedMs, ...changes });
      let firstTokenMs: number | null = null;
      sendRequest({
        key,
        request,
        signal: all.signal,
        onOpen: (requestId) => change({ requestId }),
        onAnswer: (answer) => {
          if (isBlank(answer)) return;
          firstTokenMs ??= performance.now() - startedMs;
          change({ phase: 'answering', answer, firstTokenMs });
        },
      }).then(
        () => end({ phase: 'answered' }),
        (thrown: unknown) =>
          end(isAbort(thrown) ? { phase: 'stopped' } : { phase: 'failed', failure: asFailure(thrown) }),
      );
    }
  }, []);
  const busy = runs.some(({ phase }) => phase === 'waiting' || phase === 'answering');
  return { runs, busy, send, stop };
}

/** Nothing of it can be shown yet; an answer that ended is shown even if the model said nothing. */
function isBlank({ text, toolCalls, images, vector, ended }: PlayAnswer): boolean {
  return text === '' && toolCalls.length === 0 && images.length === 0 && vector === null && !ended;
}
