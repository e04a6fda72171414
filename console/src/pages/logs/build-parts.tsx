/** How builds are shown wherever they are named. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { useTexts } from '../../text/say.ts';
import { logsTexts } from './texts.ts';

export type ListedBuildRow = ResultOf<'builds.list'>['data'][number];

const tones: Readonly<Record<ListedBuildRow['status'], Tone>> = {
  running: 'quiet',
  succeeded: 'good',
  failed: 'bad',
};
const words = { running: 'running', succeeded: 'succeeded', failed: 'failedBuild' } as const;

export function BuildBadge({ status }: Pick<ListedBuildRow, 'status'>) {
  const t = useTexts(logsTexts);
  return <Badge tone={tones[status]}>{t(words[status])}</Badge>;
}

export function BuildLink(props: { project: string; build: string; children?: ReactNode }) {
  const { project, build, children = <code>{build}</code> } = props;
  const space = useSpace();
  return (
    <Link to="/spaces/$space/logs/$project/builds/$build" params={{ space, project, build }}>
      {children}
    </Link>
  );
}
