/** A link to another page of the same space. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSpace } from './session.ts';
import type { Search } from './use-search.ts';

interface SpaceLinkProps {
  /** The last part of its address, such as `requests`. */
  readonly page: string;
  readonly search?: Search;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

export function SpaceLink({ page, search = {}, className, children }: SpaceLinkProps) {
  const space = useSpace();
  return (
    <Link
      to={`/spaces/$space/${page}` as '/spaces/$space/home'}
      params={{ space } as never}
      search={search as never}
      className={className}
      preload={false}
    >
      {children}
    </Link>
  );
}
