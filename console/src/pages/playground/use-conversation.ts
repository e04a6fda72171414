/** What was asked and answered, turn by turn; in each turn the calls run side by side, one for each model. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { asFailure, type Failure, isAbort } from '../../api/failure.ts';
import { noPlayAnswer, type PlayAnswer } from './read-play.ts';
import { sendRequest } from './send-request.ts';
import type { PastTurn } from './write-history.ts';
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

export interface Turn {
  readonly prompt: string;
  readonly requests: readonly PlayRequest[];
  /** In the order of the requests. */
  readonly runs: readonly PlayRun[];
}

interface Talk {
  /** The kind of call and the models; with others a new conversation begins. */
  readonly kind: string;
  readonly turns: readonly Turn[];
}

export interface Conversation extends Talk {
  readonly busy: boolean;
  /** `continues`: after the turns so far, instead of in their place. */
  send(of: Omit<Turn, 'runs'> & { key: string; kind: string; continues: boolean }): void;
  /** Ends all calls, here and at their providers. */
  stop(): void;
  clear(): void;
}

const nothing: Talk = { kind: '', turns: [] };
const fresh = {
  phase: 'waiting',
  answer: noPlayAnswer,
  requestId: null,
  firstTokenMs: null,
  totalMs: null,
  failure: null,
} as const;

/** Leaving the page stops what runs. */
export function useConversation(): Conversation {
  const [talk, setTalk] = useState(nothing);
  const current = useRef<AbortController | null>(null);
  const stop = useCallback(() => current.current?.abort(), []);
  const clear = useCallback(() => {
    stop();
    current.current = null;
    setTalk(nothing);
  }, [stop]);
  useEffect(() => stop, [stop]);

  const send = useCallback<Conversation['send']>(({ key, kind, continues, prompt, requests }) => {
    current.current?.abort();
    const all = new AbortController();
    current.current = all;
    const runs = requests.map(({ body }) => ({ ...fresh, model: String(body.model) }));
    setTalk(({ turns }) => ({ kind, turns: [...(continues ? turns : []), { prompt, requests, runs }] }));
    for (const [place, request] of requests.entries()) {
      const change = (changes: Partial<PlayRun>): void => {
        if (current.current === all) setTalk((before) => withChange(before, place, changes));
      };
      run({ key, request, signal: all.signal, change });
    }
  }, []);
  const last = talk.turns.at(-1);
  return { ...talk, busy: last?.runs.some(isBusy) ?? false, send, stop, clear };
}

export function isBusy({ phase }: PlayRun): boolean {
  return phase === 'waiting' || phase === 'answering';
}

/** What a model has said so far, for its next answer. A turn without an answer is left out: it is asked again. */
export function pastOf(turns: readonly Turn[], place: number): PastTurn[] {
  return turns.flatMap(({ prompt, runs }) => {
    const run = runs[place];
    if (run === undefined || (run.phase !== 'answered' && run.phase !== 'stopped')) return [];
    const { text, images } = run.answer;
    // The arguments of a call that was stopped are cut off.
    const toolCalls = run.phase === 'answered' ? run.answer.toolCalls : [];
    const said = text !== '' || toolCalls.length > 0 || images.length > 0;
    return said ? [{ prompt, text, toolCalls }] : [];
  });
}

/** Of the last turn. */
function withChange(talk: Talk, place: number, changes: Partial<PlayRun>): Talk {
  const last = talk.turns.at(-1);
  if (last === undefined) return talk;
  const runs = last.runs.map((one, i) => (i === place ? { ...one, ...changes } : one));
  return { ...talk, turns: talk.turns.with(-1, { ...last, runs }) };
}

function run(of: {
  key: string;
  request: PlayRequest;
  signal: AbortSignal;
  change(changes: Partial<PlayRun>): void;
}): void {
  const { change, ...sending } = of;
  const startedMs = performance.now();
  const end = (changes: Partial<PlayRun>): void =>
    change({ totalMs: performance.now() - startedMs, ...changes });
  let firstTokenMs: number | null = null;
  sendRequest({
    ...sending,
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

/** Nothing of it can be shown yet; an answer that ended is shown even if the model said nothing. */
function isBlank({ text, toolCalls, images, vector, ended }: PlayAnswer): boolean {
  return text === '' && toolCalls.length === 0 && images.length === 0 && vector === null && !ended;
}
