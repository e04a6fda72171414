import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useList } from '../../api/use-operation.ts';
import { Badge } from '../../parts/badge.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { useTexts } from '../../text/say.ts';
import { jobTexts } from './texts.ts';

/** The files that jobs made; a row opens its job. */
export function MediaTab() {
  const t = useTexts(jobTexts);
  const space = useSpace();
  const [search, change] = useSearchState();
  const list = useList('media.list', { space });
  return (
    <DataTable
      caption={t('media')}
      list={list}
      rowKey={({ id }) => id}
      open={list.rows.find(({ job_id: job }) => job === search.job)?.id}
      onOpen={({ job_id: job }) => change({ job })}
      columns={[
        { key: 'id', title: t('mediaFile'), as: 'code' },
        {
          key: 'owner',
          title: t('owner'),
          wide: true,
          cell: ({ owner, key }) => owner ?? key ?? t('sharedKey'),
        },
        {
          key: 'status',
          title: t('status'),
          cell: ({ status }) => (
            <Badge tone={status === 'ready' ? 'good' : status === 'failed' ? 'bad' : 'quiet'}>
              {status === 'ready' || status === 'failed' ? t(status) : t('pending')}
            </Badge>
          ),
        },
        {
          key: 'length',
          title: t('length'),
          number: true,
          cell: ({ duration_seconds: seconds }) => (seconds === null ? '–' : t('seconds', { seconds })),
        },
        {
          key: 'pixels',
          title: t('pixels'),
          wide: true,
          cell: ({ width, height }) => (width === null || height === null ? '–' : `${width} × ${height}`),
        },
        { key: 'bytes', title: t('size'), as: 'bytes' },
        { key: 'expires_at', title: t('expires'), as: 'moment', wide: true },
      ]}
      empty={<Empty title={t('noMedia')} text={t('noMediaText')} />}
    />
  );
}
