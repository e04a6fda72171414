import { memberRoles } from '../../../../gateway/src/contract/administration/words.ts';
import { FilterChoice } from '../../addresses/filter-choice.tsx';
import { SpaceLink } from '../../addresses/space-link.tsx';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useList } from '../../api/use-operation.ts';
import { Badge } from '../../parts/badge.tsx';
import { CsvButton } from '../../parts/csv-button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Filters } from '../../parts/field.tsx';
import { TypedFilter } from '../../parts/line-field.tsx';
import { Meter } from '../../parts/meter.tsx';
import { useTexts } from '../../text/say.ts';
import { printKst } from '../../text/times.ts';
import { MemberDrawer } from './member-drawer.tsx';
import type { MemberRow } from './member-row.ts';
import style from './members.module.css';
import { membersTexts } from './texts.ts';

export function MemberList() {
  const t = useTexts(membersTexts);
  const space = useSpace();
  const [search, change] = useSearchState();
  const role = memberRoles.find((one) => one === search.role);
  const input = { space, role, search: search.search || undefined };
  const list = useList('members.list', input);
  const [first] = list.rows;
  return (
    <div className="stack">
      <Filters>
        <TypedFilter
          label={t('search')}
          value={search.search ?? ''}
          onType={(typed) => change({ search: typed }, { replace: true })}
        />
        <FilterChoice name="role" label={t('role')} any={t('anyRole')} values={memberRoles} labelOf={t} />
        <CsvButton name="members.list" input={input} />
      </Filters>
      {first && <p className="hint">{t('monthNote', { time: printKst(first.resets_at) })}</p>}
      <DataTable
        caption={t('title')}
        columns={useColumns()}
        list={list}
        rowKey={({ email }) => email}
        open={search.member}
        onOpen={({ email }) => change({ member: email })}
        empty={
          <Empty
            title={t('empty')}
            command={`tollgate members add EMAIL --space ${space}`}
            text={t('emptyText')}
          />
        }
      />
      {search.member !== undefined && (
        <MemberDrawer
          key={search.member}
          email={search.member}
          listed={list.rows.find(({ email }) => email === search.member)}
          onClose={() => change({ member: undefined })}
        />
      )}
    </div>
  );
}

function useColumns(): Array<Column<MemberRow>> {
  const t = useTexts(membersTexts);
  return [
    {
      key: 'email',
      title: t('email'),
      cell: ({ email, nickname }) => (
        <>
          <span className={style.email}>{email}</span> <span className={style.name}>{nickname}</span>
        </>
      ),
    },
    {
      key: 'role',
      title: t('role'),
      cell: ({ role, unconfirmed }) => (
        <>
          <Badge tone={role === 'admin' ? 'good' : 'quiet'}>{t(role)}</Badge>{' '}
          {unconfirmed && <Badge tone="warn">{t('unconfirmed')}</Badge>}
        </>
      ),
    },
    {
      key: 'spent',
      title: t('spentLimit'),
      number: true,
      cell: ({ spent, month_limit }) => <Meter spent={spent} limit={month_limit} />,
    },
    {
      key: 'keys',
      title: t('keys'),
      number: true,
      wide: true,
      cell: ({ active_keys, email }) => (
        <SpaceLink page="keys" search={{ member: email }} label={t('keysOf', { email })}>
          {active_keys}
        </SpaceLink>
      ),
    },
    { key: 'last_active_at', title: t('lastActive'), as: 'ago', wide: true },
  ];
}
