import { jobStatuses } from '../../../../gateway/src/contract/job-statuses.ts';
import { FilterChoice } from '../../addresses/filter-choice.tsx';
import { useSearchState } from '../../addresses/use-search.ts';
import { useSpace } from '../../addresses/use-space.ts';
import { useList } from '../../api/use-operation.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Filters } from '../../parts/field.tsx';
import { useTexts } from '../../text/say.ts';
import { JobBadge } from './job-badge.tsx';
import { jobTexts } from './texts.ts';

const POLL_MS = 3_000;
const START = "npx tollgate video 'A harbour at dawn' --model MODEL -o harbour.mp4";

export function JobTable() {
  const t = useTexts(jobTexts);
  const space = useSpace();
  const [search, change] = useSearchState();
  const status = jobStatuses.find((one) => one === search.status);
  const list = useList('jobs.list', { space, ...(status && { status }) }, { every: POLL_MS });
  return (
    <>
      <Filters>
        <FilterChoice name="status" label={t('status')} any={t('all')} values={jobStatuses} labelOf={t} />
      </Filters>
      <DataTable
        caption={t('jobs')}
        list={list}
        rowKey={({ id }) => id}
        open={search.job}
        onOpen={({ id }) => change({ job: id })}
        columns={[
          { key: 'id', title: t('job'), as: 'code' },
          { key: 'model', title: t('model'), as: 'text', wide: true },
          {
            key: 'owner',
            title: t('owner'),
            wide: true,
            cell: ({ owner, key }) => owner ?? key ?? t('sharedKey'),
          },
          { key: 'status', title: t('status'), cell: (job) => <JobBadge status={job.status} /> },
          {
            key: 'progress',
            title: t('progress'),
            number: true,
            cell: ({ progress }) => (progress === null ? '–' : t('percent', { percent: progress })),
          },
          { key: 'cost', title: t('cost'), as: 'units' },
          { key: 'created_at', title: t('created'), as: 'moment', wide: true },
        ]}
        empty={
          status === undefined ? (
            <Empty title={t('noJobs')} command={START} text={t('noJobsText')} />
          ) : (
            <Empty title={t('noJobsFiltered')} />
          )
        }
      />
    </>
  );
}
