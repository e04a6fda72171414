import { useState } from 'react';
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useChange, useList } from '../../api/use-operation.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { useTexts } from '../../text/say.ts';
import style from './members.module.css';
import { invitationTexts } from './texts.ts';

type Invitation = ResultOf<'invitations.list'>['data'][number];

const tones: Readonly<Record<Invitation['state'], Tone>> = {
  open: 'good',
  accepted: 'quiet',
  revoked: 'bad',
  expired: 'warn',
};

export function InvitationList() {
  const t = useTexts(invitationTexts);
  const [space, revoke] = [useSpace(), useChange('invitations.revoke')];
  const [ends, setEnds] = useState<Invitation | null>(null);
  return (
    <>
      <DataTable
        caption={t('title')}
        list={useList('invitations.list', { space })}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'email',
            title: t('email'),
            cell: ({ email }) => <span className={style.email}>{email}</span>,
          },
          { key: 'role', title: t('role'), wide: true, cell: ({ role }) => t(role) },
          {
            key: 'state',
            title: t('state'),
            cell: ({ state }) => <Badge tone={tones[state]}>{t(state)}</Badge>,
          },
          { key: 'created_by', title: t('createdBy'), as: 'text', wide: true },
          { key: 'created_at', title: t('createdAt'), as: 'moment', wide: true },
          { key: 'expires_at', title: t('expires'), as: 'moment', wide: true },
          {
            key: 'actions',
            title: t('actions'),
            cell: (row) =>
              row.state === 'open' && (
                <RowButton name={t('revokeName', { email: row.email })} onClick={() => setEnds(row)}>
                  {t('revoke')}
                </RowButton>
              ),
          },
        ]}
        empty={
          <Empty
            title={t('emptyTitle')}
            command={`tollgate invitations create EMAIL --space ${space}`}
            text={t('emptyText')}
          />
        }
      />
      {ends !== null && (
        <ConfirmDialog
          title={t('revokeTitle', { email: ends.email })}
          confirm={t('revoke')}
          danger
          run={() => revoke.mutateAsync({ space, invitation: ends.id })}
          onClose={() => setEnds(null)}
        >
          {t('revokeText')}
        </ConfirmDialog>
      )}
    </>
  );
}
