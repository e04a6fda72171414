/** Who belongs to a space, what they may do and spend, and who is invited. */
import { useState } from 'react';
import { useSearchState } from '../../addresses/use-search.ts';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { InvitationList } from './invitation-list.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberList } from './member-list.tsx';
import { membersTexts } from './texts.ts';

export function MembersPage() {
  const t = useTexts(membersTexts);
  const { isAdmin } = useRole();
  if (!isAdmin) return <NotAllowed title={t('title')} needs="admin" />;
  return <AdminMembersPage />;
}

function AdminMembersPage() {
  const t = useTexts(membersTexts);
  const [search, change] = useSearchState();
  const [invites, setInvites] = useState(false);
  const tab = search.tab === 'invitations' ? 'invitations' : 'members';
  return (
    <Page
      title={t('title')}
      intro={t('intro')}
      actions={
        <button type="button" className="main" onClick={() => setInvites(true)}>
          {t('invite')}
        </button>
      }
    >
      <Tabs
        id="members"
        label={t('tabs')}
        current={tab}
        tabs={[
          { id: 'members', label: t('membersTab') },
          { id: 'invitations', label: t('invitationsTab') },
        ]}
        onChoose={(chosen) => change({ tab: chosen === 'members' ? undefined : chosen })}
      />
      <div id="members-panel" role="tabpanel" aria-labelledby={`members-${tab}`}>
        {tab === 'members' ? <MemberList /> : <InvitationList />}
      </div>
      {invites && <InviteDialog onClose={() => setInvites(false)} />}
    </Page>
  );
}
