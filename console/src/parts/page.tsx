/** The frame of every page: its heading, what it is for, and what can be done on it. */
import { type ReactNode, useEffect } from 'react';
import style from './page.module.css';
import { type Content, contentOf } from './shown.tsx';

export function Page(props: { title: string; intro?: ReactNode; actions?: ReactNode; children: ReactNode }) {
  const { title, intro, actions, children } = props;
  useEffect(() => {
    document.title = `${title} · Tollgate`;
  }, [title]);
  return (
    <div className={style.page}>
      <header className={style.head}>
        <div>
          <h1>{title}</h1>
          {intro !== undefined && <p className={style.intro}>{intro}</p>}
        </div>
        {actions !== undefined && <div className="beside">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page on a ground of its own. */
export function Card(props: { title?: string; side?: ReactNode; children: ReactNode }) {
  const { title, side, children } = props;
  return (
    <section className={style.card}>
      {title !== undefined && (
        <header className={`apart ${style.cardHead}`}>
          <h2>{title}</h2>
          {side}
        </header>
      )}
      {children}
    </section>
  );
}

/** Cards side by side, as many as fit. */
export function Cards({ children }: { children: ReactNode }) {
  return <div className={style.cards}>{children}</div>;
}

/** One figure with its name, such as the balance. */
export function Figure({ name, note, ...content }: { name: string; note?: ReactNode } & Content) {
  return (
    <div className={style.figure}>
      <dt>{name}</dt>
      <dd>{contentOf(content)}</dd>
      {note !== undefined && <dd className={style.note}>{note}</dd>}
    </div>
  );
}

export function Figures({ children }: { children: ReactNode }) {
  return <dl className={style.figures}>{children}</dl>;
}
