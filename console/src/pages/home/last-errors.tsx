/** The last requests that failed or were rejected; each opens with its explanation. */
import { SpaceLink } from '../../addresses/space-link.tsx';
import { PlainTable } from '../../parts/data-table.tsx';
import { Card } from '../../parts/page.tsx';
import { useTexts } from '../../text/say.ts';
import { RequestBadge } from '../../topics/request/request-status.tsx';
import type { Overview } from './overview.ts';
import { homeTexts } from './texts.ts';

export function LastErrors({ errors }: { errors: Overview['last_errors'] }) {
  const t = useTexts(homeTexts);
  return (
    <Card
      title={t('lastErrors')}
      side={
        <SpaceLink page="requests" search={{ status: 'failed' }}>
          {t('toRequests')}
        </SpaceLink>
      }
    >
      {errors.length === 0 ? (
        <p className="hint">{t('noErrors')}</p>
      ) : (
        <PlainTable
          caption={t('lastErrors')}
          rows={errors}
          rowKey={({ id }) => id}
          columns={[
            {
              key: 'ref',
              title: 'error_ref',
              cell: ({ id }) => (
                <SpaceLink page="requests" search={{ request: id }} className="nowrap">
                  <code>{id}</code>
                </SpaceLink>
              ),
            },
            { key: 'status', title: t('status'), cell: ({ status }) => <RequestBadge status={status} /> },
            { key: 'problem', title: t('problem'), cell: ({ problem }) => <code>{problem ?? '–'}</code> },
            { key: 'model', title: t('model'), as: 'text' },
            { key: 'key', title: t('key'), as: 'text', wide: true },
            { key: 'started_at', title: t('time'), as: 'moment', wide: true },
          ]}
        />
      )}
    </Card>
  );
}
