/** The builds of a project, newest first, at the side of the page. */

import { useSpace } from '../../addresses/use-space.ts';
import { useList } from '../../api/use-operation.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { BuildBadge, BuildLink, type ListedBuildRow } from './build-parts.tsx';
import { logsTexts } from './texts.ts';

export function ProjectBuilds({ project, onClose }: { project: string; onClose(): void }) {
  const t = useTexts(logsTexts);
  const space = useSpace();
  const { isAdmin } = useRole();
  const list = useList('builds.list', { space, project });
  return (
    <Dialog side title={t('buildsOf', { project })} onClose={onClose}>
      <DataTable<ListedBuildRow>
        caption={t('buildsOf', { project })}
        list={list}
        rowKey={({ id }) => id}
        columns={[
          { key: 'build', title: t('build'), cell: ({ id }) => <BuildLink project={project} build={id} /> },
          { key: 'status', title: t('buildStatus'), cell: ({ status }) => <BuildBadge status={status} /> },
          { key: 'started_at', title: t('started'), as: 'moment' },
          { key: 'finished_at', title: t('finished'), as: 'moment', wide: true },
        ]}
        empty={
          <Empty
            title={t('noBuilds')}
            command={isAdmin ? `tollgate builds start ${project} --space ${space}` : undefined}
          />
        }
      />
    </Dialog>
  );
}
