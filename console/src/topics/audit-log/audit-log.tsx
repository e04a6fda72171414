/** The audit log of a space, or of the whole installation, with its filters; a row opens the comparison. */

import { useSearchState } from '../../addresses/use-search.ts';
import { type ListRead, useList } from '../../api/use-operation.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useTexts } from '../../text/say.ts';
import { AuditFilterRow, auditFilterNames, auditInput } from './audit-filters.tsx';
import style from './audit-log.module.css';
import { compareFacts } from './compare-facts.ts';
import { type Line, LineDrawer } from './line-drawer.tsx';
import { auditTexts } from './texts.ts';

/** Null: of the whole installation. */
export function useAuditList(space: string | null): ListRead<Line> {
  const [search] = useSearchState();
  const input = auditInput(search);
  const all = useList('audit.all', input, { enabled: space === null });
  const own = useList('audit.list', { ...input, space: space ?? '' }, { enabled: space !== null });
  return space === null ? all : own;
}

export function AuditLog({ space }: { space: string | null }) {
  const t = useTexts(auditTexts);
  const [search, change] = useSearchState();
  const list = useAuditList(space);
  return (
    <div className="stack">
      <AuditFilterRow search={search} change={change} />
      <DataTable
        caption={t('title')}
        columns={useColumns(space)}
        list={list}
        rowKey={({ id }) => String(id)}
        open={search.line}
        onOpen={({ id }) => change({ line: String(id) })}
        empty={<AuditEmpty space={space} />}
      />
      {search.line !== undefined && (
        <LineDrawer
          key={search.line}
          space={space}
          id={search.line}
          listed={list.rows.find(({ id }) => String(id) === search.line)}
          onClose={() => change({ line: undefined })}
        />
      )}
    </div>
  );
}

function useColumns(space: string | null): Array<Column<Line>> {
  const t = useTexts(auditTexts);
  return [
    {
      key: 'at',
      title: t('when'),
      cell: ({ at }) => (
        <span className={style.time}>
          <Moment at={at} />
        </span>
      ),
    },
    { key: 'actor', title: t('actor'), as: 'words', wide: true },
    { key: 'action', title: t('action'), cell: ({ action }) => <code className="words">{action}</code> },
    { key: 'subject', title: t('subject'), as: 'words' },
    ...(space === null
      ? [{ key: 'space', title: t('space'), wide: true, cell: (line: Line) => line.space ?? '–' }]
      : []),
    {
      key: 'changed',
      title: t('changed'),
      number: true,
      wide: true,
      cell: ({ before, after }) => {
        const count = compareFacts(before, after).filter(({ kind }) => kind !== 'same').length;
        return count === 0 ? '–' : t('fields', { count });
      },
    },
  ];
}

function AuditEmpty({ space }: { space: string | null }) {
  const t = useTexts(auditTexts);
  const [search, change] = useSearchState();
  if (auditFilterNames.some((name) => search[name]))
    return (
      <Empty title={t('noneFound')}>
        <button
          type="button"
          onClick={() => change(Object.fromEntries(auditFilterNames.map((name) => [name, undefined])))}
        >
          {t('clearFilters')}
        </button>
      </Empty>
    );
  return (
    <Empty
      title={t('empty')}
      command={space === null ? 'tollgate audit' : `tollgate audit --space ${space}`}
      text={t('emptyText')}
    />
  );
}
