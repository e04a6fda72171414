/** One job: what happened when, its cost, its files, and cancelling it. */
import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useRead } from '../../api/use-operation.ts';
import { CancelButton } from '../../parts/cancel-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { ThrownNote } from '../../parts/failure-note.tsx';
import { Moment } from '../../parts/moment.tsx';
import { UnitAmount } from '../../parts/unit-amount.tsx';
import { useSession } from '../../session/session.ts';
import { useTexts } from '../../text/say.ts';
import { useSeenKey } from '../../topics/gateway-key/use-own-key.ts';
import { isRunning, JobBadge } from './job-badge.tsx';
import style from './jobs.module.css';
import { jobTexts } from './texts.ts';
import { VideoFile } from './video-file.tsx';

type Job = ResultOf<'jobs.get'>;

const POLL_MS = 2_000;

export function JobDrawer({ id, apiKey, onClose }: { id: string; apiKey: string; onClose(): void }) {
  const space = useSpace();
  const read = useRead('jobs.get', { space, job: id }, { every: POLL_MS });
  const job = read.data?.id === id ? read.data : null;
  return (
    <Dialog title={id} side onClose={onClose}>
      <ThrownNote error={job === null ? read.error : null} />
      {job !== null && <JobFacts job={job} />}
      {job !== null && <OwnJobParts job={job} apiKey={apiKey} />}
    </Dialog>
  );
}

function JobFacts({ job }: { job: Job }) {
  const t = useTexts(jobTexts);
  const steps = [
    ['created', job.created_at],
    ['started', job.started_at],
    ['ended', job.completed_at],
    [isRunning(job.status) ? 'deadline' : 'filesDeleted', job.expires_at],
  ] as const;
  return (
    <>
      <Facts>
        <Fact name={t('status')}>
          <JobBadge status={job.status} /> {job.progress !== null && t('percent', { percent: job.progress })}
        </Fact>
        {job.problem !== null && <Fact name={t('problem')} as="code" value={job.problem} />}
        <Fact name={t('model')}>{job.model}</Fact>
        <Fact name={t('owner')}>{job.owner ?? job.key ?? t('sharedKey')}</Fact>
        <Fact name={t('cost')}>
          {job.cost === null ? (
            t('notSettled')
          ) : (
            <>
              <UnitAmount value={job.cost} /> {t('unitWord')}
            </>
          )}
        </Fact>
      </Facts>
      <h3>{t('timeline')}</h3>
      <ol className={style.timeline}>
        {steps.map(([name, at]) => (
          <li key={name} data-done={at !== null && name !== 'deadline' && name !== 'filesDeleted'}>
            <span>{t(name)}</span>
            <span>{at === null ? t('notYet') : <Moment at={at} />}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** Only the owner's key gets a link to a file and cancels the job. */
function OwnJobParts({ job, apiKey }: { job: Job; apiKey: string }) {
  const t = useTexts(jobTexts);
  const { person } = useSession();
  const seen = useSeenKey(apiKey);
  const mine = job.owner === person.email;
  const fits =
    job.owner === null
      ? seen !== null && seen.owner === null && seen.name === job.key
      : mine && seen?.owner === person.email;
  const note =
    job.owner === null
      ? t('needThatKey', { key: job.key ?? '' })
      : mine
        ? t('needOwnKey')
        : t('notYours', { owner: job.owner });
  return (
    <>
      <h3>{t('files')}</h3>
      {job.files.length === 0 && (
        <p className="hint">{t(isRunning(job.status) ? 'noFiles' : 'noFilesEver')}</p>
      )}
      {job.files.map((file) => (
        <VideoFile key={file.id} file={file} ownKey={fits ? apiKey : ''} />
      ))}
      {!fits && (job.files.length > 0 || isRunning(job.status)) && <p className="hint">{note}</p>}
      {fits && isRunning(job.status) && <CancelJob id={job.id} ownKey={apiKey} />}
    </>
  );
}

function CancelJob({ id, ownKey }: { id: string; ownKey: string }) {
  const t = useTexts(jobTexts);
  return (
    <CancelButton
      label={t('cancel')}
      title={t('cancelTitle')}
      text={t('cancelText')}
      path={`/v1/jobs/${id}/cancel`}
      ownKey={ownKey}
    />
  );
}
