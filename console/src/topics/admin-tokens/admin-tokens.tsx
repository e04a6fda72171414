/** The administration tokens of a space, or of the installation. */
import { useState } from 'react';
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { useChange, useList } from '../../api/use-operation.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { NamedSecret } from '../../parts/named-secret.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { useTexts } from '../../text/say.ts';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { tokenTexts } from './texts.ts';

type AdminToken = ResultOf<'tokens.list'>['data'][number];

/** `space` null: those of the whole installation. */
export function AdminTokens({ space }: { space: string | null }) {
  const t = useTexts(tokenTexts);
  const [creates, setCreates] = useState(false);
  const [ends, setEnds] = useState<AdminToken | null>(null);
  const list = useTokens(space);
  const now = Date.now();
  return (
    <div className="stack near">
      <div className="apart">
        <p className="hint">{t('note')}</p>
        <button type="button" onClick={() => setCreates(true)}>
          {t('create')}
        </button>
      </div>
      <DataTable
        caption={t('title')}
        list={list}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'name',
            title: t('name'),
            cell: ({ name, hint }) => <NamedSecret name={name} hint={hint} />,
          },
          { key: 'access', title: t('access'), cell: ({ access }) => t(access) },
          {
            key: 'owner',
            title: t('owner'),
            wide: true,
            cell: ({ owner, created_by: creator, active, expires_at: expires }) => (
              <>
                {owner}
                {creator !== owner && <div className="hint">{t('createdBy', { name: creator })}</div>}
                {!active && Date.parse(expires) > now && <div className="hint">{t('ended')}</div>}
              </>
            ),
          },
          { key: 'last_used_at', title: t('lastUsed'), as: 'ago', wide: true },
          { key: 'expires_at', title: t('expires'), as: 'moment', wide: true },
          {
            key: 'actions',
            title: t('actions'),
            cell: (row) => (
              <RowButton name={t('revokeName', { name: row.name })} onClick={() => setEnds(row)}>
                {t('revoke')}
              </RowButton>
            ),
          },
        ]}
        empty={
          <Empty
            title={t('empty')}
            command={
              space === null
                ? 'tollgate tokens create-operator backup'
                : `tollgate tokens create deploy --space ${space}`
            }
            text={t('emptyText')}
          />
        }
      />
      {creates && <CreateTokenDialog space={space} onClose={() => setCreates(false)} />}
      {ends !== null && <RevokeToken space={space} row={ends} onClose={() => setEnds(null)} />}
    </div>
  );
}

function useTokens(space: string | null) {
  const own = useList('tokens.list', { space: space ?? '' }, { enabled: space !== null });
  const all = useList('operatorTokens.list', {}, { enabled: space === null });
  return space === null ? all : own;
}

function RevokeToken(props: { space: string | null; row: AdminToken; onClose(): void }) {
  const { space, row, onClose } = props;
  const t = useTexts(tokenTexts);
  const [own, all] = [useChange('tokens.revoke'), useChange('operatorTokens.revoke')];
  return (
    <ConfirmDialog
      title={t('revokeTitle', { name: row.name })}
      confirm={t('revoke')}
      danger
      run={() =>
        space === null ? all.mutateAsync({ token: row.id }) : own.mutateAsync({ space, token: row.id })
      }
      onClose={onClose}
    >
      {t('revokeText')}
    </ConfirmDialog>
  );
}
