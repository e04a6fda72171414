import { useState } from 'react';
import { requestStatuses } from '../../../../gateway/src/contract/administration/words.ts';
import { callKindNames } from '../../../../gateway/src/contract/paid-endpoints.ts';
import { FilterChoice } from '../../addresses/filter-choice.tsx';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useRead } from '../../api/use-operation.ts';
import { Filters } from '../../parts/field.tsx';
import { TypedField } from '../../parts/typed-field.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/use-texts.ts';
import { requestStatusTexts } from '../../topics/request/texts.ts';
import { filtersIn, noFilters, rareFilters, timeOfField, typedTime } from './request-search.ts';
import style from './requests.module.css';
import { requestTexts } from './texts.ts';

const SUGGESTED_MAX = 200;

export function RequestFilterBar() {
  const t = useTexts(requestTexts);
  const status = useTexts(requestStatusTexts);
  const { isAdmin } = useRole();
  const [search, change] = useSearchState();
  const [entered, setEntered] = useState<'model' | 'key' | 'email' | null>(null);
  const { models, keys, members } = useSuggestions(entered);
  const given = filtersIn(search);
  const apply = (name: string) => (value: string) => change({ [name]: value || undefined });
  return (
    <div className={style.filters}>
      <Filters>
        <FilterChoice
          name="status"
          label={t('status')}
          any={t('any')}
          values={requestStatuses}
          labelOf={(one) => status(one)}
        />
        <TypedField
          label={t('model')}
          value={given.model ?? ''}
          suggestions={models}
          onEnter={() => setEntered('model')}
          onApply={apply('model')}
        />
        <TypedField
          label={t('key')}
          value={given.key ?? ''}
          suggestions={keys}
          onEnter={() => setEntered('key')}
          onApply={apply('key')}
        />
        {isAdmin && (
          <TypedField
            label={t('member')}
            value={given.email ?? ''}
            suggestions={members}
            placeholder={t('memberHint')}
            onEnter={() => setEntered('email')}
            onApply={apply('email')}
          />
        )}
        {Object.keys(given).length > 0 && (
          <button type="button" onClick={() => change(noFilters)}>
            {t('clearFilters')}
          </button>
        )}
      </Filters>
      <details className={style.more} open={rareFilters.some((name) => given[name] !== undefined)}>
        <summary>{t('moreFilters')}</summary>
        <Filters>
          <FilterChoice
            name="endpoint"
            label={t('endpoint')}
            any={t('any')}
            values={callKindNames}
            labelOf={(one) => one}
          />
          <TypedField
            label={t('minCost')}
            value={given.min_cost ?? ''}
            placeholder="0.01"
            onApply={apply('min_cost')}
          />
          <TypedField
            label={t('from')}
            type="datetime-local"
            value={typedTime(given.from)}
            onApply={(text) => change({ from: timeOfField(text) })}
          />
          <TypedField
            label={t('until')}
            type="datetime-local"
            value={typedTime(given.until)}
            onApply={(text) => change({ until: timeOfField(text) })}
          />
          <TypedField
            label={t('keyId')}
            value={given.key_id ?? ''}
            placeholder="key_…"
            onApply={apply('key_id')}
          />
          <TypedField label={t('id')} value={given.id ?? ''} placeholder="req_…" onApply={apply('id')} />
        </Filters>
      </details>
    </div>
  );
}

/** Loaded when the field is entered, not with the page. */
function useSuggestions(entered: 'model' | 'key' | 'email' | null) {
  const space = useSpace();
  const models = useRead('models.list', { space }, { enabled: entered === 'model' });
  const keys = useRead('keys.list', { space, limit: SUGGESTED_MAX }, { enabled: entered === 'key' });
  const members = useRead('members.list', { space, limit: SUGGESTED_MAX }, { enabled: entered === 'email' });
  return {
    models: models.data?.data.map(({ id }) => id) ?? [],
    keys: keys.data?.data.map(({ name }) => name) ?? [],
    members: members.data?.data.map(({ email }) => email) ?? [],
  };
}
