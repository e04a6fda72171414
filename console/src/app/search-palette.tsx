/** Search over pages, keys, models and requests by their id. */

import { type KeyboardEvent, useId, useState } from 'react';
import type { SpacePageName } from '../addresses/routes.ts';
import type { Search } from '../addresses/search.ts';
import { spacePage } from '../addresses/space-page.ts';
import { useGo } from '../addresses/use-go.ts';
import { useRead } from '../api/use-operation.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useTexts } from '../text/say.ts';
import { spacePages } from './pages.ts';
import style from './search-palette.module.css';
import { appTexts } from './texts.ts';
import { useCurrentSpace } from './use-current-space.ts';

const FOUND_MAX = 8;
const REQUEST_ID = /^(?:req|job)_[0-9a-z]{10,}$/;

interface Found {
  readonly kind: 'pageRow' | 'keyRow' | 'modelRow' | 'requestRow';
  readonly name: string;
  readonly page: SpacePageName;
  readonly search: Search;
}

export function SearchPalette({ onClose }: { onClose(): void }) {
  const t = useTexts(appTexts);
  const listId = useId();
  const navigate = useGo();
  const space = useCurrentSpace();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  // Not deferred: Enter takes what answers the last letter, also when it comes before the page is drawn.
  const found = useFound(typed.trim(), space);
  const current = Math.min(chosen, found.length - 1);

  const go = ({ page, search }: Found): void => {
    onClose();
    if (space === null) return;
    navigate(spacePage(space.name, page, search));
  };
  const press = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setChosen((current + step + found.length) % found.length);
    }
    const row = found[current];
    if (event.key === 'Enter' && row !== undefined) go(row);
  };

  return (
    <Dialog title={t('search')} onClose={onClose}>
      <input
        type="search"
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found[current] && `${listId}-${current}`}
        aria-label={t('searchHint')}
        placeholder={t('searchHint')}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(0);
        }}
        onKeyDown={press}
      />
      <div id={listId} role="listbox" aria-label={t('search')} className={style.list}>
        {found.map((row, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
          <div
            key={`${row.kind} ${row.name}`}
            id={`${listId}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === current}
            className={style.row}
            onClick={() => go(row)}
          >
            <span>{row.name}</span>
            <span className={style.kind}>{t(row.kind)}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p role="status">{t('nothingFound')}</p>}
    </Dialog>
  );
}

function useFound(wanted: string, space: ReturnType<typeof useCurrentSpace>): Found[] {
  const t = useTexts(appTexts);
  const asks = wanted !== '' && space !== null;
  const of = { space: space?.name };
  const keys = useRead('keys.list', { ...of, search: wanted, limit: FOUND_MAX }, { enabled: asks });
  const models = useRead('models.list', of, { enabled: asks });
  const low = wanted.toLowerCase();
  const isAdmin = space !== null && space.role !== 'member';
  const pages = spacePages
    .filter(({ admin }) => !admin || isAdmin)
    .map(({ path }) => ({ kind: 'pageRow', name: t(path), page: path, search: {} }) as const)
    .filter(({ name }) => name.toLowerCase().includes(low));
  const named = (models.data?.data ?? [])
    .filter(({ id }) => id.toLowerCase().includes(low))
    .map(({ id }) => ({ kind: 'modelRow', name: id, page: 'models', search: { model: id } }) as const);
  const owned = (keys.data?.data ?? []).map(
    ({ name }) => ({ kind: 'keyRow', name, page: 'keys', search: { key: name } }) as const,
  );
  const requests = REQUEST_ID.test(wanted)
    ? [{ kind: 'requestRow', name: wanted, page: 'requests', search: { request: wanted } } as const]
    : [];
  if (!asks) return pages;
  return [...requests, ...pages, ...owned, ...named].slice(0, 2 * FOUND_MAX);
}
