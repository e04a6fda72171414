import { useEffect } from 'react';
import type { SpacePageName } from '../addresses/routes.ts';
import { spacePage } from '../addresses/space-page.ts';
import { useGo } from '../addresses/use-go.ts';
import { isTyping } from '../parts/is-typing.ts';
import { useCurrentSpace } from './use-current-space.ts';

/** After a g: the page to go to. */
const places: Readonly<Record<string, SpacePageName>> = {
  h: 'home',
  r: 'requests',
  u: 'usage',
  k: 'keys',
  l: 'logs',
  p: 'playground',
};

/** The keys that work on every page, but not while somebody types. */
export function useShortcuts({ search, help }: { search(): void; help(): void }): void {
  const navigate = useGo();
  const space = useCurrentSpace()?.name;
  useEffect(() => {
    let afterG = false;
    const press = (event: KeyboardEvent): void => {
      if (event.key === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        search();
        return;
      }
      if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return;
      const page = places[event.key];
      if (afterG && page !== undefined && space !== undefined) navigate(spacePage(space, page));
      else if (event.key === '?') help();
      afterG = event.key === 'g';
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [navigate, search, help, space]);
}
