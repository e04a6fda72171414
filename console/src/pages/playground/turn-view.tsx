/** One message and what the models answered to it. */
import { memo, useEffect, useRef } from 'react';
import { useTexts } from '../../text/say.ts';
import style from './playground.module.css';
import { RunColumn } from './run-column.tsx';
import { playgroundTexts } from './texts.ts';
import type { Turn } from './use-conversation.ts';

interface TurnViewProps {
  readonly turn: Turn;
  /** From 1. */
  readonly number: number;
  readonly isLast: boolean;
  /** False where the prompt still stands in its field. */
  readonly showsPrompt: boolean;
}

/** While an answer is streamed, the turns before it are not drawn again. */
export const TurnView = memo(({ turn, number, isLast, showsPrompt }: TurnViewProps) => {
  const t = useTexts(playgroundTexts);
  const place = useRef<HTMLDivElement>(null);
  // A message is brought into view when it is sent; the answer grows below it.
  useEffect(() => {
    if (number > 1) place.current?.scrollIntoView({ block: 'start' });
  }, [number]);
  return (
    <div ref={place} className={style.turn}>
      {showsPrompt && (
        <p className={style.asked}>
          <span className="heard">{t('you')}</span>
          {turn.prompt}
        </p>
      )}
      <div className={style.columns} data-many={turn.runs.length > 1}>
        {turn.runs.map((run, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same model may be there twice
          <RunColumn key={i} model={run.model} run={run} number={number} isLast={isLast} />
        ))}
      </div>
    </div>
  );
});
