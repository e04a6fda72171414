/** The models of a space: what each costs, which endpoints it works with and what it can do. */
import { capabilities } from '../../../../gateway/src/contract/models.ts';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useRead } from '../../api/use-operation.ts';
import { PlainTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Choice, Filters } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { partsTexts } from '../../parts/texts.ts';
import { TypedField } from '../../parts/typed-field.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/define-texts.ts';
import type { ModelRowData } from './listed-model.ts';
import { ModelAliases } from './model-aliases.tsx';
import { useModelColumns } from './model-columns.tsx';
import { ModelDrawer } from './model-drawer.tsx';
import style from './models.module.css';
import { modelTexts } from './texts.ts';

export function ModelsPage() {
  const t = useTexts(modelTexts);
  const p = useTexts(partsTexts);
  const space = useSpace();
  const { data, error, refetch } = useRead('models.list', { space });
  const [search, change] = useSearchState();
  const columns = useModelColumns();
  const models = data?.data ?? [];
  const shown = models.filter((model) => matches(model, search));
  const open = search.model;
  return (
    <Page title={t('title')} intro={t('intro')}>
      <ModelFilters models={models} />
      <ThrownNote error={error} onRetry={() => void refetch()} />
      {data === undefined && error === null && <p role="status">{p('loading')}</p>}
      {data !== undefined && shown.length === 0 && <NoModels hasModels={models.length > 0} />}
      {shown.length > 0 && (
        <div className={style.table}>
          <PlainTable
            caption={t('title')}
            rows={shown}
            rowKey={({ id }) => id}
            columns={columns}
            open={open}
            onOpen={({ id }) => change({ model: id })}
          />
        </div>
      )}
      {data !== undefined && <ModelAliases codes={models.map(({ id }) => id)} />}
      {open !== undefined && data !== undefined && (
        <ModelDrawer
          id={open}
          model={models.find(({ id }) => id === open) ?? null}
          onClose={() => change({ model: undefined })}
        />
      )}
    </Page>
  );
}

function ModelFilters({ models }: { models: readonly ModelRowData[] }) {
  const t = useTexts(modelTexts);
  const [search, change] = useSearchState();
  const endpoints = [...new Set(models.flatMap((model) => model.endpoints))].toSorted();
  return (
    <Filters>
      <TypedField
        label={t('code')}
        value={search.q ?? ''}
        placeholder={t('codeHint')}
        onApply={(q) => change({ q: q || undefined })}
      />
      <Choice
        label={t('endpoint')}
        value={search.endpoint ?? ''}
        options={[
          { value: '', label: t('any') },
          ...endpoints.map((endpoint) => ({ value: endpoint, label: endpoint })),
        ]}
        onChoose={(endpoint) => change({ endpoint: endpoint || undefined })}
      />
      <Choice
        label={t('capability')}
        value={search.can ?? ''}
        options={[
          { value: '', label: t('any') },
          ...capabilities.map((one) => ({ value: one as string, label: t(`can_${one}`) })),
          { value: 'batch', label: t('batch') },
        ]}
        onChoose={(can) => change({ can: can || undefined })}
      />
    </Filters>
  );
}

function matches(
  model: ModelRowData,
  { q = '', endpoint, can }: Readonly<Record<string, string | undefined>>,
): boolean {
  const has = can === 'batch' ? model.supports_batch : !can || model.capabilities.some((one) => one === can);
  return (
    model.id.toLowerCase().includes(q.toLowerCase()) &&
    (!endpoint || model.endpoints.includes(endpoint)) &&
    has
  );
}

function NoModels({ hasModels }: { hasModels: boolean }) {
  const t = useTexts(modelTexts);
  const { isOperator } = useRole();
  if (hasModels) return <Empty title={t('noneMatch')} />;
  return (
    <Empty title={t('none')} copyLabel={t('theCommand')} {...(isOperator && { command: 'tollgate config' })}>
      <p>{t('noneText')}</p>
    </Empty>
  );
}
