/** Names and values, below one another or side by side. */
import type { ReactNode } from 'react';
import { type Content, contentOf } from './shown.tsx';

export function Facts({ children }: { children: ReactNode }) {
  return <dl className="pairs">{children}</dl>;
}

/** What a call took, side by side. */
export function Measures({ children, className = '' }: { children: ReactNode; className?: string }) {
  return <dl className={`measures ${className}`}>{children}</dl>;
}

export function Fact({ name, ...content }: { name: string } & Content) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{contentOf(content)}</dd>
    </div>
  );
}
