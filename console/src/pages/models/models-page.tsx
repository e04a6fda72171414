/** The models of a space: what each costs, which endpoints it works with and what it can do. */
import { capabilities } from '../../../../gateway/src/contract/models.ts';
import { FilterChoice } from '../../addresses/filter-choice.tsx';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useRead } from '../../api/use-operation.ts';
import { PlainTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Filters } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { ReadNote } from '../../parts/read-note.tsx';
import { TypedField } from '../../parts/typed-field.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import type { ModelRowData } from './listed-model.ts';
import { ModelAliases } from './model-aliases.tsx';
import { useModelColumns } from './model-columns.tsx';
import { ModelDrawer } from './model-drawer.tsx';
import style from './models.module.css';
import { modelTexts } from './texts.ts';

export function ModelsPage() {
  const t = useTexts(modelTexts);
  const space = useSpace();
  const read = useRead('models.list', { space });
  const { data } = read;
  const [search, change] = useSearchState();
  const columns = useModelColumns();
  const models = data?.data ?? [];
  const shown = models.filter((model) => matches(model, search));
  const open = search.model;
  return (
    <Page title={t('title')} intro={t('intro')}>
      <ModelFilters models={models} />
      <ReadNote read={read} waits={data === undefined} />
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
      <FilterChoice name="endpoint" label={t('endpoint')} any={t('any')} values={endpoints} />
      <FilterChoice
        name="can"
        label={t('capability')}
        any={t('any')}
        values={[...capabilities, 'batch'] as const}
        labelOf={(one) => t(one === 'batch' ? one : `can_${one}`)}
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
    <Empty title={t('noModels')} command={isOperator ? 'tollgate config' : undefined} text={t('noneText')} />
  );
}
