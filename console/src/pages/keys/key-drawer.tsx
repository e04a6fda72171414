/** Everything about one key, and what can be done with it. */
import { useState } from 'react';
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
import { RuleFacts, SpentFacts } from '../../topics/rules/rule-facts.tsx';
import { type KeyAction, KeyActions } from './key-actions.tsx';
import { KeyChange } from './key-change.tsx';
import { isOrphan, type KeyView, stateTones } from './key-view.ts';
import { KeyWorkloads } from './key-workloads.tsx';
import { keysTexts } from './texts.ts';

interface KeyDrawerProps {
  readonly name: string;
  /** A revoked key is found only in the list: another may have its name now. */
  readonly listed: KeyView | undefined;
  onClose(): void;
}

export function KeyDrawer({ name, listed, onClose }: KeyDrawerProps) {
  const t = useTexts(keysTexts);
  const space = useSpace();
  const { isAdmin } = useRole();
  const [action, setAction] = useState<KeyAction | null>(null);
  const [revoked, setRevoked] = useState(false);
  // Once it is revoked it is not found again.
  const asks = listed === undefined && action !== 'revoke' && !revoked;
  const read = useRead('keys.get', { space, name }, { enabled: asks });
  const key = listed ?? read.data;
  return (
    <Dialog
      side
      title={name}
      head={key && <Badge tone={stateTones[key.state]}>{t(key.state)}</Badge>}
      onClose={onClose}
    >
      <ThrownNote error={read.error} />
      {key !== undefined && (
        <>
          <StateNote row={key} />
          {key.state !== 'revoked' && <KeyActions row={key} onChoose={setAction} />}
          <KeyFacts row={key} />
          {key.kind !== 'management' && (
            <p>
              <SpaceLink
                page="requests"
                search={key.state === 'revoked' ? { key_id: key.id } : { key: name }}
              >
                {t('requestsOfKey')}
              </SpaceLink>
            </p>
          )}
          {isAdmin && key.kind !== 'personal' && key.state !== 'revoked' && (
            <KeyWorkloads name={name} asks={asks} />
          )}
        </>
      )}
      {key !== undefined && action !== null && (
        <KeyChange
          action={action}
          row={key}
          onClose={() => setAction(null)}
          onRevoked={() => {
            setRevoked(true);
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}

function StateNote({ row }: { row: KeyView }) {
  const t = useTexts(keysTexts);
  if (row.state === 'active') return null;
  const reasons = { disabled: 'whyDisabled', expired: 'whyExpired', revoked: 'whyRevoked' } as const;
  return <p className="warning">{t(isOrphan(row) ? 'ownerRemoved' : reasons[row.state])}</p>;
}

function KeyFacts({ row }: { row: KeyView }) {
  const t = useTexts(keysTexts);
  const calls = row.kind !== 'management';
  return (
    <Facts>
      <Fact name={t('kind')}>{t(row.kind)}</Fact>
      {row.kind === 'personal' && <Fact name={t('owner')}>{row.owner}</Fact>}
      <Fact name={t('secret')} as="code" value={row.hint} />
      {calls && (
        <>
          <SpentFacts row={row} />
          <RuleFacts holder="key" row={row} shown={['month_limit', 'disabled', 'expires_at']} />
        </>
      )}
      <Fact name={t('lastUsed')}>
        {row.last_used_at === null ? t('never') : <Moment at={row.last_used_at} />}
      </Fact>
      <Fact name={t('expires')}>
        <Moment at={row.expires_at} />
        {row.ends_at !== null && <div className="hint">{t('endSet')}</div>}
      </Fact>
      {row.former_until !== null && <Fact name={t('formerUntil')} as="moment" value={row.former_until} />}
      <Fact name={t('createdAt')} as="moment" value={row.created_at} />
      <Fact name={t('createdBy')}>{row.created_by ?? t('anOperator')}</Fact>
      <Fact name={t('id')} as="code" value={row.id} />
    </Facts>
  );
}
