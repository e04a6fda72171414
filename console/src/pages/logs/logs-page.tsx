/** The projects of the space, their last builds, and the builds of the project that is open. */
import { Link, Navigate } from '@tanstack/react-router';
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { OWN_PROJECT } from '../../../../gateway/src/contract/administration/words.ts';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { type ListRead, useList, useRead } from '../../api/use-operation.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Page } from '../../parts/page.tsx';
import { useRole } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { printKst } from '../../text/times.ts';
import { BuildBadge, BuildLink } from './build-parts.tsx';
import { ProjectBuilds } from './project-builds.tsx';
import { logsTexts } from './texts.ts';

type Project = ResultOf<'projects.list'>['data'][number];

export function LogsPage() {
  const t = useTexts(logsTexts);
  const space = useSpace();
  const [{ at, project }, change] = useSearchState();
  const list = useList('projects.list', { space });
  const moment = at !== undefined && !Number.isNaN(Date.parse(at)) ? at : undefined;
  const [only] = list.rows;
  if (moment !== undefined && list.rows.length === 1 && only !== undefined) {
    return (
      <Navigate
        to="/spaces/$space/logs/$project"
        params={{ space, project: only.id }}
        search={{ at: moment }}
        replace
      />
    );
  }
  return (
    <Page
      title={t('title')}
      intro={
        moment === undefined ? (
          t('intro')
        ) : (
          <strong>{t('chooseAt', { time: `${printKst(moment)} KST` })}</strong>
        )
      }
    >
      <ProjectTable list={list} at={moment} onBuilds={(id) => change({ project: id })} />
      <UsableIds />
      <OwnLog at={moment} />
      {project !== undefined && (
        <ProjectBuilds project={project} onClose={() => change({ project: undefined })} />
      )}
    </Page>
  );
}

/** Which ids an administrator can add projects with. */
function UsableIds() {
  const t = useTexts(logsTexts);
  const { isAdmin } = useRole();
  const { data } = useRead('projectIds.list', { space: useSpace() }, { enabled: isAdmin });
  const usable = data?.data.filter(({ state }) => state !== 'used').map(({ ids }) => ids) ?? [];
  if (usable.length === 0) return null;
  return <p className="hint">{t('usableIds', { ids: usable.join(', ') })}</p>;
}

/** The gateway itself belongs to no space. */
function OwnLog({ at }: { at: string | undefined }) {
  const t = useTexts(logsTexts);
  const space = useSpace();
  const { isOperator } = useRole();
  if (!isOperator) return null;
  return (
    <p>
      <Link to="/spaces/$space/logs/$project" params={{ space, project: OWN_PROJECT }} search={{ at }}>
        {t('ownLog')}
      </Link>{' '}
      <span className="hint">{t('ownLogHint')}</span>
    </p>
  );
}

function ProjectTable(props: {
  list: ListRead<Project>;
  at: string | undefined;
  onBuilds(id: string): void;
}) {
  const t = useTexts(logsTexts);
  const space = useSpace();
  const { isAdmin, isOperator } = useRole();
  const { list, at, onBuilds } = props;
  return (
    <DataTable<Project>
      caption={t('projects')}
      list={list}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'project',
          title: t('project'),
          cell: ({ id, name }) => (
            <>
              <Link to="/spaces/$space/logs/$project" params={{ space, project: id }} search={{ at }}>
                {name}
              </Link>
              {name !== id && <div className="hint">{id}</div>}
            </>
          ),
        },
        {
          key: 'build',
          title: t('lastBuild'),
          cell: ({ id, last_build: build }) =>
            build === null ? (
              <span className="hint">{t('none')}</span>
            ) : (
              <>
                <BuildBadge status={build.status} />{' '}
                <BuildLink project={id} build={build.id}>
                  <Moment at={build.started_at} />
                </BuildLink>
              </>
            ),
        },
        {
          key: 'builds',
          title: t('showBuilds'),
          cell: ({ id }) => (
            <button type="button" className="link" onClick={() => onBuilds(id)}>
              {t('showBuilds')}
              <span className="heard"> {id}</span>
            </button>
          ),
        },
        { key: 'created_at', title: t('added'), as: 'moment', wide: true },
      ]}
      empty={
        <Empty
          title={t('emptyTitle')}
          command={isAdmin ? `tollgate projects add shop --space ${space}` : undefined}
          text={t(isOperator ? 'emptyText' : isAdmin ? 'emptyIds' : 'emptyAsk')}
        />
      }
    />
  );
}
