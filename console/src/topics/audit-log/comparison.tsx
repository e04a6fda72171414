/** The fields before and after a change, those that changed marked. */
import { useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { PlainTable } from '../../parts/data-table.tsx';
import { useTexts } from '../../text/say.ts';
import style from './audit-log.module.css';
import { type ComparedField, compareFacts, printFact, type RecordedFacts } from './compare-facts.ts';
import { auditTexts } from './texts.ts';

export function Comparison({ before, after }: { before: RecordedFacts; after: RecordedFacts }) {
  const t = useTexts(auditTexts);
  const [wantsSame, setWantsSame] = useState(false);
  const all = compareFacts(before, after);
  const same = all.filter(({ kind }) => kind === 'same').length;
  const showsSame = wantsSame || same === all.length;
  if (all.length === 0) return <p className="hint">{t('noFacts')}</p>;
  return (
    <>
      <PlainTable
        caption={t('comparison')}
        rows={showsSame ? all : all.filter(({ kind }) => kind !== 'same')}
        rowKey={({ field }) => field}
        columns={[
          { key: 'field', title: t('field'), as: 'code' },
          {
            key: 'before',
            title: t('before'),
            cell: ({ before: value, kind }) => <Value value={value} struck={kind === 'change'} />,
          },
          {
            key: 'after',
            title: t('after'),
            cell: ({ after: value, kind }) => <Value value={value} marked={kind !== 'same'} />,
          },
          { key: 'kind', title: t('kind'), wide: true, cell: ({ kind }) => <Kind kind={kind} /> },
        ]}
      />
      {same > 0 && !showsSame && (
        <p className="hint">
          {t('same', { count: same })}{' '}
          <button type="button" className="link" onClick={() => setWantsSame(true)}>
            {t('showSame')}
          </button>
        </p>
      )}
    </>
  );
}

function Value({ value, struck, marked }: { value: unknown; struck?: boolean; marked?: boolean }) {
  const t = useTexts(auditTexts);
  if (value === undefined) return <span className={style.none}>{t('absent')}</span>;
  const text = value === null ? t('none') : printFact(value);
  if (marked) return <mark className={style.value}>{text}</mark>;
  return <span className={`${style.value} ${struck ? style.before : ''}`}>{text}</span>;
}

function Kind({ kind }: { kind: ComparedField['kind'] }) {
  const t = useTexts(auditTexts);
  if (kind === 'same') return null;
  const tones = { change: 'warn', added: 'good', removed: 'bad' } as const;
  return <Badge tone={tones[kind]}>{t(kind)}</Badge>;
}
