import { useSpace } from '../../app/session.ts';
import type { Search } from '../../app/use-search.ts';
import { Empty } from '../../parts/empty.tsx';
import { useTexts } from '../../text/define-texts.ts';
import { keysTexts } from './texts.ts';

const filters = ['kind', 'state', 'search', 'member'] as const;

export function KeysEmpty(props: {
  tab: 'gateway' | 'management';
  search: Search;
  change(changes: Search): void;
}) {
  const { tab, search, change } = props;
  const t = useTexts(keysTexts);
  const space = useSpace();
  if (filters.some((name) => search[name])) {
    const none = Object.fromEntries(filters.map((name) => [name, undefined]));
    return (
      <Empty title={t('noneFound')}>
        <button type="button" onClick={() => change(none)}>
          {t('clearFilters')}
        </button>
      </Empty>
    );
  }
  const manages = tab === 'management';
  return (
    <Empty
      title={t(manages ? 'emptyManagement' : 'emptyTitle')}
      command={`tollgate keys create ${manages ? 'reports --kind management' : 'ci'} --space ${space}`}
      copyLabel={t('copyCommand')}
    >
      <p>{t(manages ? 'emptyManagementText' : 'emptyText')}</p>
    </Empty>
  );
}
