/** A button in a row of a table. */
import type { ReactNode } from 'react';

/** `name` says which row is meant, for those who hear the page. */
export function RowButton(props: { name: string; children: ReactNode; onClick(): void }) {
  const { name, children, onClick } = props;
  return (
    <button type="button" className="in-row" aria-label={name} onClick={onClick}>
      {children}
    </button>
  );
}
