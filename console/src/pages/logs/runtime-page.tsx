/** What a project writes while it runs. */
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { OWN_PROJECT } from '../../../../gateway/src/contract/administration/words.ts';
import { usePageShortcuts } from '../../app/page-shortcuts.ts';
import { useSpace } from '../../app/session.ts';
import { useSearchState } from '../../app/use-search.ts';
import { Page } from '../../parts/page.tsx';
import { useTexts } from '../../text/define-texts.ts';
import { logsTexts } from './texts.ts';
import { LogViewer } from './viewer/log-viewer.tsx';
import { useLogStream } from './viewer/use-log-stream.ts';
import { readStreamChoice } from './viewer/view-options.ts';

const keys = [
  ['Space', 'keyFollow'],
  ['End', 'keyEnd'],
  ['c', 'keyClear'],
  ['r', 'keyReconnect'],
  ['w', 'keyWrap'],
  ['t', 'keyTimes'],
  ['/', 'keySearch'],
  ['n / N', 'keyMatches'],
] as const;

export function RuntimePage() {
  const t = useTexts(logsTexts);
  const space = useSpace();
  const { project } = useParams({ strict: false }) as { project: string };
  const [words] = useSearchState();
  const choice = useMemo(() => readStreamChoice(words), [words]);
  const stream = useLogStream(project, choice);
  usePageShortcuts(keys.map(([pressed, text]) => [pressed, t(text)]));
  return (
    <Page
      title={project}
      intro={t('runtimeLog')}
      actions={
        <>
          {project !== OWN_PROJECT && (
            <Link
              to={'/spaces/$space/logs' as string}
              params={{ space } as never}
              search={{ project } as never}
              className="button"
            >
              {t('showBuilds')}
            </Link>
          )}
          <Link to={'/spaces/$space/logs' as string} params={{ space } as never} className="button">
            {t('backToProjects')}
          </Link>
        </>
      }
    >
      {stream !== null && <LogViewer project={project} stream={stream} choice={choice} />}
    </Page>
  );
}
