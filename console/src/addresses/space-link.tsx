/** A link to another page of the same space. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SpacePageName } from './routes.ts';
import type { Search } from './search.ts';
import { spacePage } from './space-page.ts';
import { useSpace } from './use-space.ts';

interface SpaceLinkProps {
  readonly page: SpacePageName;
  readonly search?: Search;
  readonly className?: string | undefined;
  /** What screen readers say where the content alone says too little. */
  readonly label?: string | undefined;
  readonly children: ReactNode;
}

export function SpaceLink({ page, search = {}, className, label, children }: SpaceLinkProps) {
  const space = useSpace();
  return (
    <Link {...spacePage(space, page, search)} className={className} aria-label={label} preload={false}>
      {children}
    </Link>
  );
}
