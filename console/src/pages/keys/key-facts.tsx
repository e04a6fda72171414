import { Fact, Facts } from '../../parts/facts.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useTexts } from '../../text/use-texts.ts';
import { RuleFacts } from '../../topics/rules/rule-facts.tsx';
import type { KeyView } from './key-view.ts';
import { keysTexts } from './texts.ts';

export function KeyFacts({ row }: { row: KeyView }) {
  const t = useTexts(keysTexts);
  const calls = row.kind !== 'management';
  return (
    <Facts>
      <Fact name={t('kind')}>{t(row.kind)}</Fact>
      {row.kind === 'personal' && <Fact name={t('owner')}>{row.owner}</Fact>}
      <Fact name={t('secret')}>
        <code>{row.hint}</code>
      </Fact>
      {calls && (
        <>
          <Fact name={t('spent')}>
            <Meter spent={row.spent} limit={row.month_limit} />
            {row.month_limit === null && <span className="hint"> ({t('noLimit')})</span>}
          </Fact>
          <Fact name={t('resets')}>
            <Moment at={row.resets_at} />
          </Fact>
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
      {row.former_until !== null && (
        <Fact name={t('formerUntil')}>
          <Moment at={row.former_until} />
        </Fact>
      )}
      <Fact name={t('createdAt')}>
        <Moment at={row.created_at} />
      </Fact>
      <Fact name={t('createdBy')}>{row.created_by ?? t('anOperator')}</Fact>
      <Fact name={t('id')}>
        <code>{row.id}</code>
      </Fact>
    </Facts>
  );
}
