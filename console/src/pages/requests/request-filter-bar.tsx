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
import { useTexts } from '../../text/say.ts';
import { requestStatusTexts } from '../../topics/request/texts.ts';
import {
  filtersIn,
  noFilters,
  type RequestFilter,
  rareFilters,
  timeOfField,
  typedTime,
} from './request-search.ts';
import style from './requests.module.css';
import { requestTexts } from './texts.ts';

const SUGGESTED_MAX = 200;

export function RequestFilterBar() {
  const t = useTexts(requestTexts);
  const status = useTexts(requestStatusTexts);
  const { isAdmin } = useRole();
  const [search, change] = useSearchState();
  const [entered, setEntered] = useState<RequestFilter | null>(null);
  const { models, keys, members } = useSuggestions(entered);
  const given = filtersIn(search);
  const typed = (name: RequestFilter, label: string, placeholder?: string) => ({
    label,
    ...(placeholder && { placeholder }),
    value: given[name] ?? '',
    onEnter: () => setEntered(name),
    onApply: (value: string) => change({ [name]: value || undefined }),
  });
  const moment = (name: 'from' | 'until') => ({
    label: t(name),
    type: 'datetime-local' as const,
    value: typedTime(given[name]),
    onApply: (text: string) => change({ [name]: timeOfField(text) }),
  });
  return (
    <div className="stack close">
      <Filters>
        <FilterChoice
          name="status"
          label={t('status')}
          any={t('any')}
          values={requestStatuses}
          labelOf={status}
        />
        <TypedField {...typed('model', t('model'))} suggestions={models} />
        <TypedField {...typed('key', t('key'))} suggestions={keys} />
        {isAdmin && <TypedField {...typed('email', t('member'), t('memberHint'))} suggestions={members} />}
        {Object.keys(given).length > 0 && (
          <button type="button" onClick={() => change(noFilters)}>
            {t('clearFilters')}
          </button>
        )}
      </Filters>
      <details className={style.more} open={rareFilters.some((name) => given[name] !== undefined)}>
        <summary>{t('moreFilters')}</summary>
        <Filters>
          <FilterChoice name="endpoint" label={t('endpoint')} any={t('any')} values={callKindNames} />
          <TypedField {...typed('min_cost', t('minCost'), '0.01')} />
          <TypedField {...moment('from')} />
          <TypedField {...moment('until')} />
          <TypedField {...typed('key_id', t('keyId'), 'key_…')} />
          <TypedField {...typed('id', t('id'), 'req_…')} />
        </Filters>
      </details>
    </div>
  );
}

/** Loaded when the field is entered, not with the page. */
function useSuggestions(entered: RequestFilter | null) {
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
