/** The log of a build: numbered lines with links. While the build runs, the page asks again from time to time. */
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { pageRoutes } from '../../addresses/routes.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { CallFailed, failureOf } from '../../api/failure.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Page } from '../../parts/page.tsx';
import { useTexts } from '../../text/say.ts';
import { BuildLines } from './build-lines.tsx';
import { BuildBadge } from './build-parts.tsx';
import { readBuildLog, readLineHash } from './read-build-log.ts';
import { logsTexts } from './texts.ts';
import { downloadText } from './viewer/take-lines.ts';

const RETRY_MS = 5_000;
const STILL_RUNNING = 422;

export function BuildLogPage() {
  const t = useTexts(logsTexts);
  const space = useSpace();
  const { project, build } = pageRoutes.buildLog.useParams();
  const { hash } = useLocation();
  const log = useQuery({
    queryKey: ['build-log', build],
    queryFn: ({ signal }) => loadBuildLog(build, signal),
    refetchInterval: ({ state }) => (state.data === null ? RETRY_MS : false),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const lines = log.data === undefined || log.data === null ? null : readBuildLog(log.data);
  return (
    <Page
      title={t('buildTitle', { build })}
      intro={t('buildOf', { project })}
      actions={
        <>
          {lines !== null && lines.length > 0 && (
            <>
              <CopyButton text={log.data ?? ''} what={t('buildLines')} />
              <button type="button" onClick={() => downloadText(log.data ?? '', `${build}.log`)}>
                {t('download')}
              </button>
            </>
          )}
          <Link to="/spaces/$space/logs" params={{ space }} className="button">
            {t('backToProjects')}
          </Link>
        </>
      }
    >
      <ThrownNote error={log.error} onRetry={() => void log.refetch()} />
      {log.isPending && <p role="status">{t('loading')}</p>}
      {log.data === null && (
        <div role="status" data-build="running">
          <Empty title={t('buildRunning')}>
            <BuildBadge status="running" />
          </Empty>
        </div>
      )}
      {lines !== null &&
        (lines.length === 0 ? (
          <Empty title={t('buildEmpty')} />
        ) : (
          <BuildLines lines={lines} chosen={readLineHash(hash)} />
        ))}
    </Page>
  );
}

/** Null: the build is still running. */
async function loadBuildLog(build: string, signal: AbortSignal): Promise<string | null> {
  const reply = await fetch(`/api/builds/${encodeURIComponent(build)}/logs?numbers=false`, { signal });
  if (reply.ok) return await reply.text();
  if (reply.status === STILL_RUNNING) return null;
  throw new CallFailed(await failureOf(reply));
}
