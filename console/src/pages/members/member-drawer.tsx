/** Everything about one member, and what an administrator can change. */
import { useState } from 'react';
import {
  type SettingOn,
  settingsOn,
} from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import { SpaceLink } from '../../addresses/space-link.tsx';
import { useSpace } from '../../addresses/use-space.ts';
import { useRead } from '../../api/use-operation.ts';
import { Badge } from '../../parts/badge.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { RuleActions } from '../../topics/rules/rule-actions.tsx';
import { RuleFacts, SpentFacts } from '../../topics/rules/rule-facts.tsx';
import { type MemberAction, MemberChange } from './member-change.tsx';
import type { MemberRow } from './member-row.ts';
import { membersTexts } from './texts.ts';

interface MemberDrawerProps {
  readonly email: string;
  /** Their row, if it is among those that were loaded. */
  readonly listed: MemberRow | undefined;
  onClose(): void;
}

export function MemberDrawer({ email, listed, onClose }: MemberDrawerProps) {
  const t = useTexts(membersTexts);
  const space = useSpace();
  const [action, setAction] = useState<MemberAction | null>(null);
  const found = useRead('members.list', { space, search: email }, { enabled: listed === undefined });
  const row = listed ?? found.data?.data.find((one) => one.email === email);
  return (
    <Dialog
      side
      title={email}
      head={row && <Badge tone={row.role === 'admin' ? 'good' : 'quiet'}>{t(row.role)}</Badge>}
      onClose={onClose}
    >
      <ThrownNote error={found.error} />
      {row === undefined && found.isFetched && action !== 'remove' && <p>{t('notFound', { email })}</p>}
      {row !== undefined && (
        <>
          {row.unconfirmed && <p className="warning">{t('unconfirmedText')}</p>}
          <MemberActions row={row} onChoose={setAction} />
          <MemberFacts row={row} />
          <p>
            <SpaceLink page="keys" search={{ member: email }}>
              {t('keysOf', { email })}
            </SpaceLink>
          </p>
          {action !== null && (
            <MemberChange action={action} row={row} onClose={() => setAction(null)} onRemoved={onClose} />
          )}
        </>
      )}
    </Dialog>
  );
}

function MemberActions({ row, onChoose }: { row: MemberRow; onChoose(action: MemberAction): void }) {
  const t = useTexts(membersTexts);
  const { isOperator } = useRole();
  return (
    <RuleActions
      holder="member"
      row={row}
      actions={[
        'changeRole',
        ...settingsOn('member'),
        'changeName',
        ...(isOperator ? (['signInLink'] as const) : []),
        'remove',
      ]}
      danger="remove"
      labelOf={(action: Exclude<MemberAction, SettingOn<'member'>>) => t(action)}
      onChoose={onChoose}
    />
  );
}

function MemberFacts({ row }: { row: MemberRow }) {
  const t = useTexts(membersTexts);
  return (
    <Facts>
      <Fact name={t('name')}>{row.nickname}</Fact>
      <SpentFacts row={row} />
      <RuleFacts holder="member" row={row} shown={['month_limit']} />
      <Fact name={t('keys')}>{row.active_keys}</Fact>
      <Fact name={t('lastActive')}>
        {row.last_active_at === null ? t('never') : <Moment at={row.last_active_at} />}
      </Fact>
      <Fact name={t('since')} as="moment" value={row.created_at} />
      <Fact name={t('id')} as="code" value={row.id} />
    </Facts>
  );
}
