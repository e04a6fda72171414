/** The frame around every page: side bar, space, search and the person. */
import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { useTexts } from '../text/say.ts';
import { PersonMenu } from './person-menu.tsx';
import { SearchPalette } from './search-palette.tsx';
import style from './shell.module.css';
import { ShortcutHelp } from './shortcut-help.tsx';
import { SideBar } from './side-bar.tsx';
import { SpaceSwitcher } from './space-switcher.tsx';
import { appTexts } from './texts.ts';
import { useShortcuts } from './use-shortcuts.ts';

export function Shell() {
  const t = useTexts(appTexts);
  const [menuOpen, setMenuOpen] = useState(false);
  const [open, setOpen] = useState<'search' | 'help' | null>(null);
  useShortcuts({ search: () => setOpen('search'), help: () => setOpen('help') });
  return (
    <div className={style.shell} data-menu={menuOpen}>
      <a href="#page" className={style.skip}>
        {t('skip')}
      </a>
      <header className={style.top}>
        <button
          type="button"
          className={style.menuButton}
          aria-expanded={menuOpen}
          aria-controls="side-bar"
          onClick={() => setMenuOpen(!menuOpen)}
        >
          {t('menu')}
        </button>
        <SpaceSwitcher />
        <button type="button" className={style.search} onClick={() => setOpen('search')}>
          <span>{t('search')}</span>
          <kbd>{isMac() ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
        <PersonMenu />
      </header>
      <SideBar onGo={() => setMenuOpen(false)} />
      <main id="page" className={style.page} tabIndex={-1}>
        <Outlet />
      </main>
      {open === 'search' && <SearchPalette onClose={() => setOpen(null)} />}
      {open === 'help' && <ShortcutHelp onClose={() => setOpen(null)} />}
    </div>
  );
}

function isMac(): boolean {
  return navigator.platform.startsWith('Mac');
}
