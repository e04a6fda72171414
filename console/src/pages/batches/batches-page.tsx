/** Batches: a new one from a file, and how far the others are. */
import { batchStatuses, settlementFilters } from '../../../../gateway/src/contract/administration/words.ts';
import { FilterChoice } from '../../addresses/filter-choice.tsx';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useList, useRead } from '../../api/use-operation.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Filters } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { type Say, useTexts } from '../../text/say.ts';
import { KeyBar } from '../../topics/gateway-key/key-bar.tsx';
import { useKeyModels } from '../../topics/gateway-key/use-key-models.ts';
import { useSessionKey } from '../../topics/gateway-key/use-session-key.ts';
import { BatchDrawer } from './batch-drawer.tsx';
import { BatchForm } from './batch-form.tsx';
import { type BatchListItem, Counts, SettlementBadge, StatusBadge } from './batch-tracks.tsx';
import style from './batches.module.css';
import { type BatchText, batchTexts } from './texts.ts';

const POLL_MS = 3_000;

export function BatchesPage() {
  const t = useTexts(batchTexts);
  const space = useSpace();
  const [search, change] = useSearchState();
  const [key, setKey] = useSessionKey();
  const ofSpace = useRead('models.list', { space });
  const ofKey = useKeyModels(key);
  const status = batchStatuses.find((one) => one === search.status);
  const settlement = settlementFilters.find((one) => one === search.settlement);
  const list = useList(
    'batches.list',
    { space, ...(status && { status }), ...(settlement && { settlement }) },
    { every: POLL_MS },
  );
  const filtered = status !== undefined || settlement !== undefined;
  return (
    <Page title={t('title')} intro={t('intro')}>
      <KeyBar apiKey={key} purpose="batches" create={t('createKey')} onKey={setKey} />
      <BatchForm
        apiKey={key}
        models={ofKey ?? ofSpace.data?.data ?? null}
        onSubmitted={(batch) => change({ batch })}
      />
      <Filters>
        <FilterChoice name="status" label={t('status')} any={t('all')} values={batchStatuses} labelOf={t} />
        <FilterChoice
          name="settlement"
          label={t('settlement')}
          any={t('all')}
          values={settlementFilters}
          labelOf={t}
        />
      </Filters>
      <div className="stack near">
        <DataTable
          caption={t('list')}
          columns={columnsOf(t)}
          list={list}
          rowKey={({ id }) => id}
          open={search.batch}
          onOpen={({ id }) => change({ batch: id })}
          empty={
            filtered ? (
              <Empty title={t('emptyFiltered')} />
            ) : (
              <Empty title={t('empty')} command="npx tollgate batches submit FILE" text={t('emptyText')} />
            )
          }
        />
      </div>
      {search.batch !== undefined && (
        <BatchDrawer id={search.batch} apiKey={key} onClose={() => change({ batch: undefined })} />
      )}
    </Page>
  );
}

function columnsOf(t: Say<BatchText>): Array<Column<BatchListItem>> {
  return [
    {
      key: 'batch',
      title: t('batch'),
      cell: ({ id, model }) => (
        <>
          <code>{id}</code>
          <span className={style.model}>{model}</span>
        </>
      ),
    },
    { key: 'owner', title: t('owner'), wide: true, cell: ({ owner, key }) => owner ?? key ?? t('sharedKey') },
    { key: 'status', title: t('status'), cell: (batch) => <StatusBadge batch={batch} /> },
    { key: 'requests', title: t('requests'), number: true, cell: (batch) => <Counts batch={batch} /> },
    { key: 'settlement', title: t('settlement'), cell: (batch) => <SettlementBadge batch={batch} /> },
    {
      key: 'units',
      title: t('units'),
      number: true,
      cell: ({ settlement, units }) => (settlement === 'settled' ? <UnitAmount value={units} /> : '–'),
    },
    { key: 'created_at', title: t('created'), as: 'moment', wide: true },
  ];
}
