import { useCallback, useEffect, useRef, useState } from 'react';
import { asFailure, type Failure, isAbort } from '../../api/failure.ts';
import { type ChatAnswer, emptyAnswer } from '../../api/read-answer.ts';
import { sendChat } from '../../api/send-chat.ts';

export interface Trial {
  readonly phase: 'idle' | 'waiting' | 'answering' | 'answered' | 'stopped' | 'failed';
  readonly answer: ChatAnswer;
  readonly requestId: string | null;
  readonly firstTokenMs: number | null;
  readonly totalMs: number | null;
  readonly failure: Failure | null;
}

export interface Question {
  readonly key: string;
  readonly model: string;
  readonly streams: boolean;
  readonly prompt: string;
}

const nothingYet: Trial = {
  phase: 'idle',
  answer: emptyAnswer,
  requestId: null,
  firstTokenMs: null,
  totalMs: null,
  failure: null,
};

export interface Trying {
  readonly trial: Trial;
  send(question: Question): void;
  stop(): void;
  /** True in the moment after an end, when a press may have been meant to stop. */
  justEnded(): boolean;
}

const JUST_ENDED_MS = 300;

/** One call at a time; leaving the page stops it. */
export function useTrial(): Trying {
  const [trial, setTrial] = useState(nothingYet);
  const running = useRef<AbortController | null>(null);
  const endedMs = useRef(Number.NEGATIVE_INFINITY);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const send = useCallback((question: Question) => {
    running.current?.abort();
    const call = new AbortController();
    running.current = call;
    const startedMs = performance.now();
    const change = (changes: Partial<Trial>): void => {
      if (running.current === call) setTrial((before) => ({ ...before, ...changes }));
    };
    const end = (changes: Partial<Trial>): void => {
      change({ totalMs: performance.now() - startedMs, ...changes });
      endedMs.current = performance.now();
      if (running.current === call) running.current = null;
    };
    let firstTokenMs: number | null = null;
    setTrial({ ...nothingYet, phase: 'waiting' });
    sendChat({
      ...question,
      signal: call.signal,
      onOpen: (requestId) => change({ requestId }),
      onAnswer: (answer) => {
        if (answer.text === '' && answer.images.length === 0) return;
        firstTokenMs ??= performance.now() - startedMs;
        change({ phase: 'answering', answer, firstTokenMs });
      },
    }).then(
      () => end({ phase: 'answered' }),
      (thrown: unknown) =>
        end(isAbort(thrown) ? { phase: 'stopped' } : { phase: 'failed', failure: asFailure(thrown) }),
    );
  }, []);
  const justEnded = useCallback(() => performance.now() - endedMs.current < JUST_ENDED_MS, []);
  return { trial, send, stop, justEnded };
}
