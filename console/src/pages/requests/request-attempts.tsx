/** The requests to providers behind one call. Which provider it was is shown to operators only. */
import { Badge } from '../../parts/badge.tsx';
import { PlainTable } from '../../parts/data-table.tsx';
import { useTexts } from '../../text/say.ts';
import { printDuration } from '../../text/times.ts';
import type { Explained } from '../../topics/request/explained.ts';
import style from './requests.module.css';
import { requestTexts } from './texts.ts';

export function RequestAttempts({ explained: { call } }: { explained: Explained }) {
  const t = useTexts(requestTexts);
  if (call === null || call.attempts === 0) return null;
  const { attempt_log: log, route } = call;
  return (
    <section className={`stack close ${style.part}`}>
      <h3>{t('attempts')}</h3>
      {log === null ? (
        <p className="hint">{t('oneAttempt')}</p>
      ) : (
        <PlainTable
          caption={t('attempts')}
          rows={log}
          rowKey={({ index }) => String(index)}
          columns={[
            { key: 'index', title: '#', as: 'number' },
            ...(log.some(({ model }) => model !== undefined)
              ? [
                  {
                    key: 'model',
                    title: t('model'),
                    cell: ({ model }: (typeof log)[number]) => <code>{model}</code>,
                  },
                ]
              : []),
            {
              key: 'outcome',
              title: t('outcome'),
              cell: ({ outcome }) =>
                outcome === 'answered' ? (
                  <Badge tone="good">{t('answered')}</Badge>
                ) : (
                  <Badge tone="bad">{outcome}</Badge>
                ),
            },
            { key: 'status', title: 'HTTP', number: true, cell: ({ status }) => status ?? t('noAnswer') },
            {
              key: 'time',
              title: t('tookTime'),
              number: true,
              cell: (one) => printDuration(one.duration_ms),
            },
          ]}
        />
      )}
      {route !== null && (
        <p className="hint">
          {t('route')} <code>{route}</code>
        </p>
      )}
    </section>
  );
}
