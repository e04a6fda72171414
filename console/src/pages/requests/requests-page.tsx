/** What was asked of the models: a list with filters, and everything about one request. */

import { useEffect, useRef } from 'react';
import { SpaceLink } from '../../addresses/space-link.tsx';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { csvAddress } from '../../api/ask-console.ts';
import { useList } from '../../api/use-operation.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/page.tsx';
import { useTexts } from '../../text/say.ts';
import { useRequestColumns } from './request-columns.tsx';
import { RequestDrawer } from './request-drawer.tsx';
import { RequestFilterBar } from './request-filter-bar.tsx';
import { filtersIn, listInput, noFilters } from './request-search.ts';
import style from './requests.module.css';
import { requestTexts } from './texts.ts';

const LIVE_MS = 2_000;
/** The most that one answer has. */
const CSV_ROWS = 1_000;

export function RequestsPage() {
  const t = useTexts(requestTexts);
  const space = useSpace();
  const [search, change] = useSearchState();
  const live = search.live === 'on';
  const input = listInput(space, search);
  const list = useList('requests.list', input, { every: live ? LIVE_MS : undefined });
  const columns = useRequestColumns();
  const { request: open } = search;
  const ids = list.rows.map(({ id }) => id);
  const show = (id: string): void => change({ request: id }, { replace: open !== undefined });
  useRowKeys({ ids, current: open, go: show, onEnd: () => list.hasMore && list.loadMore() });
  return (
    <Page
      title={t('title')}
      intro={t('intro')}
      actions={
        <>
          <button
            type="button"
            role="switch"
            aria-checked={live}
            className={style.live}
            onClick={() => change({ live: live ? undefined : 'on' }, { replace: true })}
          >
            <span className={style.dot} aria-hidden="true" />
            {t('live')}
          </button>
          <a className="button" href={csvAddress('requests.list', { ...input, limit: CSV_ROWS })} download>
            {t('csv')}
          </a>
        </>
      }
    >
      <RequestFilterBar />
      <DataTable
        caption={t('title')}
        columns={columns}
        list={list}
        rowKey={({ id }) => id}
        open={open}
        onOpen={({ id }) => show(id)}
        empty={
          <NoRequests hasFilters={Object.keys(filtersIn(search)).length > 0} mayHaveMore={list.hasMore} />
        }
      />
      {list.rows.length === 0 && list.hasMore && (
        <p>
          <button type="button" disabled={list.loadsMore} onClick={list.loadMore}>
            {t('searchFurther')}
          </button>
        </p>
      )}
      {open !== undefined && (
        <RequestDrawer
          id={open}
          row={list.rows.find(({ id }) => id === open) ?? null}
          ids={ids}
          onGo={show}
          onClose={() => change({ request: undefined })}
        />
      )}
    </Page>
  );
}

function NoRequests({ hasFilters, mayHaveMore }: { hasFilters: boolean; mayHaveMore: boolean }) {
  const t = useTexts(requestTexts);
  const [, change] = useSearchState();
  if (hasFilters)
    return (
      <Empty title={t(mayHaveMore ? 'noneYet' : 'noneMatch')}>
        <button type="button" onClick={() => change(noFilters)}>
          {t('clearFilters')}
        </button>
      </Empty>
    );
  const command = `curl ${location.origin}/v1/chat/completions -H "Authorization: Bearer $TOLLGATE_KEY" -H "Content-Type: application/json" -d '{"model": "MODEL", "messages": [{"role": "user", "content": "Hello"}]}'`;
  return (
    <Empty title={t('none')} command={command} copyLabel={t('firstCall')} text={t('noneText')}>
      <SpaceLink page="connect">{t('toConnect')}</SpaceLink>
    </Empty>
  );
}

/** J and K move through the rows of a list, also while the drawer of a row is open. */
interface RowKeys {
  readonly ids: readonly string[];
  readonly current: string | undefined;
  go(id: string): void;
  /** The end of what is loaded was reached. */
  onEnd(): void;
}

function useRowKeys(keys: RowKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    let afterG = false;
    const press = (event: KeyboardEvent): void => {
      const isPlain = !event.metaKey && !event.ctrlKey && !event.altKey && !isElsewhere(event);
      const step = { j: 1, k: -1 }[event.key.toLowerCase()];
      // After a g the key names a page.
      if (isPlain && !afterG && step !== undefined) move(latest.current, step);
      afterG = event.key === 'g';
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

function move({ ids, current, go, onEnd }: RowKeys, step: number): void {
  const at = current === undefined ? -1 : ids.indexOf(current);
  const next = current === undefined ? ids[0] : ids[at + step];
  if (next === undefined) {
    if (step > 0) onEnd();
    return;
  }
  // A request that is not in the list has no neighbours.
  if (current !== undefined && at === -1) return;
  go(next);
  document.querySelector(`[data-row="${CSS.escape(next)}"]`)?.scrollIntoView({ block: 'nearest' });
}

/** The key goes into a field, or belongs to a dialog that is not the drawer. */
function isElsewhere({ target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('input, textarea, select, [contenteditable]') !== null) return true;
  const dialog = target.closest('dialog');
  return dialog !== null && dialog.querySelector('[data-drawer]') === null;
}
