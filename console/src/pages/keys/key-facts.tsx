import { Fact, Facts } from '../../parts/facts.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useTexts } from '../../text/say.ts';
import { RuleFacts, SpentFacts } from '../../topics/rules/rule-facts.tsx';
import type { KeyView } from './key-view.ts';
import { keysTexts } from './texts.ts';

export function KeyFacts({ row }: { row: KeyView }) {
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
