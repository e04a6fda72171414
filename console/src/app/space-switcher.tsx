import { isSpacePage } from '../addresses/routes.ts';
import { spacePage } from '../addresses/space-page.ts';
import { useGo } from '../addresses/use-go.ts';
import { Menu } from '../parts/menu.tsx';
import { useSession } from '../session/session.ts';
import { useTexts } from '../text/say.ts';
import { appTexts } from './texts.ts';
import { useCurrentSpace } from './use-current-space.ts';

/** The same page of another space. */
export function SpaceSwitcher() {
  const t = useTexts(appTexts);
  const { spaces } = useSession();
  const navigate = useGo();
  const current = useCurrentSpace();
  if (current === null) return null;
  const go = (name: string): void => {
    const page = /\/spaces\/[^/]+\/([a-z]+)/.exec(location.pathname)?.[1] ?? '';
    navigate(spacePage(name, isSpacePage(page) ? page : 'home'));
  };
  return (
    <Menu
      label={t('chooseSpace', { space: current.name })}
      items={spaces.map(({ name }) => ({ label: name, current: name === current.name, run: () => go(name) }))}
    >
      {current.name} <span aria-hidden="true">▾</span>
    </Menu>
  );
}
