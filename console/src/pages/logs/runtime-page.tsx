/** What a project writes while it runs. */
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { OWN_PROJECT } from '../../../../gateway/src/contract/administration/words.ts';
import { pageRoutes } from '../../addresses/routes.ts';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { Page } from '../../parts/page.tsx';
import { usePageShortcuts } from '../../parts/page-shortcuts.ts';
import { useTexts } from '../../text/say.ts';
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
  const { project } = pageRoutes.runtimeLog.useParams();
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
            <Link to="/spaces/$space/logs" params={{ space }} search={{ project }} className="button">
              {t('showBuilds')}
            </Link>
          )}
          <Link to="/spaces/$space/logs" params={{ space }} className="button">
            {t('backToProjects')}
          </Link>
        </>
      }
    >
      {stream !== null && <LogViewer project={project} stream={stream} choice={choice} />}
    </Page>
  );
}
