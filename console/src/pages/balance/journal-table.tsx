import type { InputOf, ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { entryKinds } from '../../../../gateway/src/contract/administration/words.ts';
import { FilterChoice } from '../../addresses/filter-choice.tsx';
import { SpaceLink } from '../../addresses/space-link.tsx';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { csvAddress } from '../../api/ask-console.ts';
import { useList } from '../../api/use-operation.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Filters } from '../../parts/field.tsx';
import { Moment } from '../../parts/moment.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { useTexts } from '../../text/say.ts';
import style from './balance.module.css';
import { PanelHead } from './panel-head.tsx';
import { balanceTexts } from './texts.ts';

type Entry = ResultOf<'ledger.list'>['data'][number];

const accounts = ['promo', 'paid', 'overage', 'spent', 'issued', 'expired', 'invoiced', 'due'] as const;

/** Every movement of units in double entry: the accounts of a row sum to zero. */
export function JournalTable() {
  const t = useTexts(balanceTexts);
  const space = useSpace();
  const [search] = useSearchState();
  const kind = entryKinds.find((one) => one === search.kind);
  const input: InputOf<'ledger.list'> = { space, ...(kind && { kind }) };
  const list = useList('ledger.list', input);
  const columns = useColumns();
  return (
    <>
      <PanelHead csv={csvAddress('ledger.list', { ...input, limit: 1_000 })}>{t('journalHint')}</PanelHead>
      <div className={style.filters}>
        <Filters>
          <FilterChoice
            name="kind"
            label={t('kind')}
            any={t('any')}
            values={entryKinds}
            labelOf={(one) => t(`kind_${one}`)}
          />
        </Filters>
      </div>
      <DataTable
        caption={t('journal')}
        list={list}
        rowKey={({ entry }) => String(entry)}
        columns={columns}
        empty={<Empty title={t('noEntries')} />}
      />
    </>
  );
}

function useColumns(): ReadonlyArray<Column<Entry>> {
  const t = useTexts(balanceTexts);
  return [
    { key: 'entry', title: t('entry'), as: 'number' },
    { key: 'at', title: t('time'), cell: ({ at }) => <EntryTime at={at} /> },
    {
      key: 'kind',
      title: t('kind'),
      cell: ({ kind, ref, note }) => (
        <>
          <KindName kind={kind} />
          <span className={style.under}>
            <Reference name={ref} />
          </span>
          {note !== '' && <span className={style.under}>{note}</span>}
        </>
      ),
    },
    ...accounts.map((account) => ({
      key: account,
      title: t(`account_${account}`),
      number: true,
      cell: (row: Entry) => <Moved amount={row[account]} />,
    })),
  ];
}

function EntryTime({ at }: { at: string }) {
  return (
    <span className="nowrap">
      <Moment at={at} />
    </span>
  );
}

/** An account that did not move steps back. */
function Moved({ amount }: { amount: string }) {
  return (
    <span className={amount === '0' ? style.nothing : undefined}>
      <UnitAmount value={amount} />
    </span>
  );
}

function Reference({ name }: { name: string }) {
  if (!name.startsWith('req_')) return <>{name}</>;
  return (
    <SpaceLink page="requests" search={{ request: name }}>
      {name}
    </SpaceLink>
  );
}

function KindName({ kind }: { kind: string }) {
  const t = useTexts(balanceTexts);
  const known = entryKinds.find((one) => one === kind);
  return <>{known === undefined ? kind : t(`kind_${known}`)}</>;
}
