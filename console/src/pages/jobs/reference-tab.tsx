import { referenceSchemes } from '../../../../gateway/src/contract/reference-kinds.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useList } from '../../api/use-operation.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { useTexts } from '../../text/say.ts';
import style from './jobs.module.css';
import { jobTexts } from './texts.ts';
import { UploadReference } from './upload-reference.tsx';

export function ReferenceTab({ apiKey }: { apiKey: string }) {
  const t = useTexts(jobTexts);
  const space = useSpace();
  const list = useList('references.list', { space });
  return (
    <>
      <UploadReference apiKey={apiKey} />
      <DataTable
        caption={t('references')}
        list={list}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'reference',
            title: t('reference'),
            cell: ({ id, track }) => (
              <span className={style.reference}>
                <code>{`${referenceSchemes[track]}${id}`}</code>
                <CopyButton text={`${referenceSchemes[track]}${id}`} what={t('theReference')} />
              </span>
            ),
          },
          {
            key: 'owner',
            title: t('owner'),
            wide: true,
            cell: ({ owner, key }) => owner ?? key ?? t('sharedKey'),
          },
          {
            key: 'kind',
            title: t('kind'),
            cell: ({ kind }) => <span className="nowrap">{t(kind === 'video' ? 'videoKind' : kind)}</span>,
          },
          { key: 'mime_type', title: t('type'), as: 'text', wide: true },
          { key: 'bytes', title: t('size'), as: 'bytes' },
          { key: 'created_at', title: t('uploadedAt'), as: 'moment', wide: true },
          { key: 'expires_at', title: t('expires'), as: 'moment', wide: true },
        ]}
        empty={
          <Empty
            title={t('noReferences')}
            command="npx tollgate references upload FILE"
            text={t('noReferencesText')}
          />
        }
      />
    </>
  );
}
