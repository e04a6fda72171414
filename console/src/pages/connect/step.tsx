import { type ReactNode, useId } from 'react';

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
  const id = useId();
  return (
    <section className="step" aria-labelledby={id}>
      <header>
        <span className={done ? 'badge done' : 'badge'} aria-hidden="true">
          {done ? '✓' : number}
        </span>
        <h2 id={id}>{title}</h2>
        {done && <span className="heard">(done)</span>}
        {aside}
      </header>
      {children}
    </section>
  );
}
