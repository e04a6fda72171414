/** One space: its settings and balance, links into it, and what an operator can change. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type SettingOn,
  settingsOn,
} from '../../../../gateway/src/contract/administration/rules/find-rules.ts';
import { spacePage } from '../../addresses/space-page.ts';
import { useRead } from '../../api/use-operation.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { currentLanguage } from '../../text/language.ts';
import { useTexts } from '../../text/say.ts';
import { printBytes, printCount } from '../../text/times.ts';
import { RuleActions } from '../../topics/rules/rule-actions.tsx';
import { RuleFacts } from '../../topics/rules/rule-facts.tsx';
import style from './operator.module.css';
import { SpaceBadges, type SpaceRow } from './space-badges.tsx';
import { type SpaceAction, SpaceChange } from './space-change.tsx';
import { spacesTexts } from './spaces-texts.ts';

const pages = [
  ['home', 'openSpace'],
  ['members', 'openMembers'],
  ['keys', 'openKeys'],
  ['balance', 'openBalance'],
] as const;

export function SpaceDrawer({ name, onClose }: { name: string; onClose(): void }) {
  const t = useTexts(spacesTexts);
  const { data: row, error } = useRead('spaces.get', { space: name });
  const [action, setAction] = useState<SpaceAction | null>(null);
  return (
    <Dialog side title={name} head={row && <SpaceBadges row={row} />} onClose={onClose}>
      <ThrownNote error={error} />
      {row !== undefined && (
        <>
          <p className={style.links}>
            {pages.map(([page, title]) => (
              <Link key={page} {...spacePage(name, page)}>
                {t(title)}
              </Link>
            ))}
          </p>
          <SpaceActions row={row} onChoose={setAction} />
          <SpaceFacts row={row} />
          {action !== null && <SpaceChange action={action} row={row} onClose={() => setAction(null)} />}
        </>
      )}
    </Dialog>
  );
}

function SpaceActions({ row, onChoose }: { row: SpaceRow; onChoose(action: SpaceAction): void }) {
  const t = useTexts(spacesTexts);
  return (
    <RuleActions
      holder="space"
      row={row}
      actions={[
        'grant',
        ...settingsOn('space').filter((setting) => setting !== 'block'),
        ...(row.overage === '0' ? [] : (['invoice'] as const)),
        ...(row.reserved === '0' ? [] : (['forgive'] as const)),
        'projectIds',
        'block',
      ]}
      danger="block"
      labelOf={(action: Exclude<SpaceAction, SettingOn<'space'>>) => t(action)}
      onChoose={onChoose}
    />
  );
}

function SpaceFacts({ row }: { row: SpaceRow }) {
  const t = useTexts(spacesTexts);
  return (
    <Facts>
      <Fact name={t('held')} as="units" value={row.held} />
      <Fact name={t('overage')}>
        <UnitAmount value={row.overage} />{' '}
        <span className="hint">({t(row.overage_allowed ? 'allowed' : 'forbidden')})</span>
      </Fact>
      <Fact name={t('reserved')} as="units" value={row.reserved} />
      <Fact name={t('spent')} as="units" value={row.spent} />
      <RuleFacts holder="space" row={row} shown={['overage_allowed', 'keeps_responses', 'blocked']} />
      <Fact name={t('members')}>{row.members}</Fact>
      <Fact name={t('keys')}>{row.active_keys}</Fact>
      <Fact name={t('kept')}>
        {row.keeps_responses
          ? t('keptText', {
              count: printCount(row.kept_responses, currentLanguage()),
              bytes: printBytes(row.kept_bytes),
            })
          : t('notKept')}
      </Fact>
      <Fact name={t('createdAt')} as="moment" value={row.created_at} />
      <Fact name={t('id')} as="code" value={row.id} />
    </Facts>
  );
}
