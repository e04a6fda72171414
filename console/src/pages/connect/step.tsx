import { type ReactNode, useId } from 'react';
import { useTexts } from '../../text/say.ts';
import { connectTexts } from './texts.ts';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly done: boolean;
  /** Stands at the right of the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** One card of the way to the first call. */
export function Step({ number, title, done, aside, children }: StepProps) {
  const t = useTexts(connectTexts);
  const id = useId();
  return (
    <section className="step" aria-labelledby={id}>
      <header>
        <span className={done ? 'connect-number done' : 'connect-number'} aria-hidden="true">
          {done ? '✓' : number}
        </span>
        <h2 id={id}>{title}</h2>
        {done && <span className="heard">{t('done')}</span>}
        {aside}
      </header>
      {children}
    </section>
  );
}
