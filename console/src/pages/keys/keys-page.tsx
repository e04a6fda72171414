/** The keys of a space: what each spent, until when it works, and everything that can be done with it. */
import { useState } from 'react';
import { keyKinds, keyStates } from '../../../../gateway/src/contract/administration/words.ts';
import type { Search } from '../../addresses/search.ts';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useList } from '../../api/use-operation.ts';
import { CsvButton } from '../../parts/csv-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { printKst } from '../../text/times.ts';
import { AdminTokens } from '../../topics/admin-tokens/admin-tokens.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { keyColumns } from './key-columns.tsx';
import { KeyDrawer } from './key-drawer.tsx';
import { KeyFilterRow } from './key-filters.tsx';
import { keysTexts } from './texts.ts';

export function KeysPage() {
  const { isAdmin } = useRole();
  const [search] = useSearchState();
  if (isAdmin && search.tab === 'tokens') return <TokensPage />;
  return <KeyListPage tab={isAdmin && search.tab === 'management' ? 'management' : 'gateway'} />;
}

function TokensPage() {
  const t = useTexts(keysTexts);
  const space = useSpace();
  return (
    <Page title={t('title')} intro={t('intro')}>
      <KeyTabs current="tokens" />
      <div id="keys-panel" role="tabpanel" aria-labelledby="keys-tokens">
        <AdminTokens space={space} />
      </div>
    </Page>
  );
}

function KeyTabs({ current }: { current: 'gateway' | 'management' | 'tokens' }) {
  const t = useTexts(keysTexts);
  const [, change] = useSearchState();
  return (
    <Tabs
      id="keys"
      label={t('tabs')}
      current={current}
      tabs={[
        { id: 'gateway', label: t('gatewayTab') },
        { id: 'management', label: t('managementTab') },
        { id: 'tokens', label: t('tokensTab') },
      ]}
      onChoose={(chosen) => change({ tab: chosen === 'gateway' ? undefined : chosen, kind: undefined })}
    />
  );
}

function KeyListPage({ tab }: { tab: 'gateway' | 'management' }) {
  const t = useTexts(keysTexts);
  const { isAdmin } = useRole();
  const [search, change] = useSearchState();
  const [creates, setCreates] = useState(false);
  const input = useInput(search, tab);
  const list = useList('keys.list', input);
  const [first] = list.rows;
  const createButton = (
    <button type="button" className="main" onClick={() => setCreates(true)}>
      {t('create')}
    </button>
  );
  return (
    <Page
      title={t('title')}
      intro={t(isAdmin ? 'intro' : 'introMember')}
      actions={
        <>
          <CsvButton name="keys.list" input={input} />
          {createButton}
        </>
      }
    >
      {isAdmin && <KeyTabs current={tab} />}
      <KeyFilterRow tab={tab} search={search} change={change} />
      <p className="hint">
        {tab === 'management'
          ? t('managementNote')
          : first && t('monthNote', { time: printKst(first.resets_at) })}
      </p>
      <div id="keys-panel" {...(isAdmin && { role: 'tabpanel', 'aria-labelledby': `keys-${tab}` })}>
        <DataTable
          caption={t('title')}
          columns={keyColumns(t, { tab, isAdmin })}
          list={list}
          rowKey={({ id }) => id}
          open={list.rows.find(({ name }) => name === search.key)?.id}
          onOpen={({ name, id, state }) => change({ key: name, id: state === 'revoked' ? id : undefined })}
          empty={<KeysEmpty tab={tab} search={search} change={change} />}
        />
      </div>
      {search.key !== undefined && (
        <KeyDrawer
          key={search.key}
          name={search.key}
          listed={list.rows.find(({ id }) => id === search.id)}
          onClose={() => change({ key: undefined, id: undefined })}
        />
      )}
      {creates && <CreateKeyDialog tab={tab} onClose={() => setCreates(false)} />}
    </Page>
  );
}

/** What the address asks for; words that the API does not know are left out. */
function useInput(search: Search, tab: 'gateway' | 'management') {
  const space = useSpace();
  const kind = keyKinds.find((one) => one === search.kind && one !== 'management');
  return {
    space,
    kind: tab === 'management' ? ('management' as const) : (kind ?? ('gateway' as const)),
    state: keyStates.find((one) => one === search.state),
    search: search.search || undefined,
    email: (tab === 'gateway' && search.member) || undefined,
  };
}

const filters = ['kind', 'state', 'search', 'member'] as const;

function KeysEmpty(props: { tab: 'gateway' | 'management'; search: Search; change(changes: Search): void }) {
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
      text={t(manages ? 'emptyManagementText' : 'emptyText')}
    />
  );
}
