/** All spaces: their state and balance, and what an operator does with them. */
import { useState } from 'react';
import { useSearchState } from '../../addresses/use-search.ts';
import { useList } from '../../api/use-operation.ts';
import { CsvButton } from '../../parts/csv-button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Filters } from '../../parts/field.tsx';
import { TypedFilter } from '../../parts/line-field.tsx';
import { useTexts } from '../../text/say.ts';
import style from './operator.module.css';
import { SpaceBadges, type SpaceRow } from './space-badges.tsx';
import { CreateSpaceDialog } from './space-change.tsx';
import { SpaceDrawer } from './space-drawer.tsx';
import { spacesTexts } from './spaces-texts.ts';

export function SpacesTab() {
  const t = useTexts(spacesTexts);
  const [search, change] = useSearchState();
  const [creates, setCreates] = useState(false);
  const input = { search: search.search || undefined };
  const list = useList('spaces.list', input);
  return (
    <div className="stack loose">
      <div className={style.head}>
        <Filters>
          <TypedFilter
            label={t('search')}
            value={search.search ?? ''}
            onType={(typed) => change({ search: typed }, { replace: true })}
          />
        </Filters>
        <div className="beside">
          <CsvButton name="spaces.list" input={input} />
          <button type="button" className="main" onClick={() => setCreates(true)}>
            {t('create')}
          </button>
        </div>
      </div>
      <DataTable
        caption={t('title')}
        columns={useColumns()}
        list={list}
        rowKey={({ name }) => name}
        open={search.space}
        onOpen={({ name }) => change({ space: name })}
        empty={
          <Empty
            title={t(input.search === undefined ? 'empty' : 'noneFound')}
            command="tollgate spaces create acme"
            text={t('emptyText')}
          />
        }
      />
      {search.space !== undefined && (
        <SpaceDrawer key={search.space} name={search.space} onClose={() => change({ space: undefined })} />
      )}
      {creates && <CreateSpaceDialog onClose={() => setCreates(false)} />}
    </div>
  );
}

function useColumns(): Array<Column<SpaceRow>> {
  const t = useTexts(spacesTexts);
  return [
    {
      key: 'name',
      title: t('name'),
      cell: ({ name }) => <span className={`words ${style.name}`}>{name}</span>,
    },
    { key: 'state', title: t('state'), cell: (row) => <SpaceBadges row={row} /> },
    { key: 'held', title: t('held'), as: 'units' },
    { key: 'overage', title: t('overage'), as: 'units', wide: true },
    { key: 'spent', title: t('spent'), as: 'units', wide: true },
    { key: 'members', title: t('members'), as: 'number', wide: true },
    { key: 'active_keys', title: t('keys'), as: 'number', wide: true },
  ];
}
