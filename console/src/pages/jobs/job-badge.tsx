import type { JobStatus } from '../../../../gateway/src/contract/job-statuses.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { useTexts } from '../../text/say.ts';
import { jobTexts } from './texts.ts';

const tones: Readonly<Record<JobStatus, Tone>> = {
  queued: 'quiet',
  in_progress: 'quiet',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'warn',
  expired: 'bad',
};

export function JobBadge({ status }: { status: JobStatus }) {
  const t = useTexts(jobTexts);
  return <Badge tone={tones[status]}>{t(status)}</Badge>;
}

export function isRunning(status: JobStatus): boolean {
  return status === 'queued' || status === 'in_progress';
}
