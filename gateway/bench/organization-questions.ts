/** Usage and costs in the form of OpenAI's API, as they are measured: pages of days, hours and minutes. */
import type { BucketQuery } from '../src/contract/organization/bucket-query.ts';
import { type OrganizationReport, usageReports } from '../src/contract/organization/usage-reports.ts';
import type { Database } from '../src/database/database.ts';
import { DAY_MS } from '../src/kernel/durations.ts';
import { systemClock, unixSecondsOf } from '../src/kernel/time.ts';
import { OrganizationReports } from '../src/reports/organization/organization-reports.ts';
import type { ListQuestion } from './list-questions.ts';

const DAY = DAY_MS / 1000;

export function organizationQuestions(
  db: Database,
  { now, spaceId, busyKey }: { now: number; spaceId: string; busyKey: string },
): ListQuestion[] {
  const reports = new OrganizationReports({
    db,
    clock: { ...systemClock, now: () => now },
    unitValue: () => null,
  });
  const end = unixSecondsOf(now);
  const reader = { id: 'bench', spaceIds: [spaceId] };
  const question = (title: string, read: () => Promise<string>): ListQuestion => ({
    title: `organization ${title}`,
    async read() {
      const { data } = JSON.parse(await read()) as { data: Array<{ results: unknown[] }> };
      return data.reduce((sum, { results }) => sum + results.length, 0);
    },
  });
  const usage = (title: string, query: BucketQuery, report: OrganizationReport = usageReports.completions) =>
    question(title, () => reports.usage(report, reader, query));
  const costs = (title: string, query: BucketQuery, of = reader.spaceIds as string[] | null) =>
    question(title, () => reports.costs({ id: 'bench', spaceIds: of }, query));
  const days = (count: number): BucketQuery => ({ start_time: end - count * DAY, limit: count });
  const hours: BucketQuery = { start_time: end - 7 * DAY, bucket_width: '1h', limit: 168 };
  const minutes: BucketQuery = { start_time: end - DAY, bucket_width: '1m', limit: 1440 };
  return [
    costs('costs of 7 days', days(7)),
    costs('costs of 31 days', days(31)),
    costs('costs of 31 days by key and line item', { ...days(31), group_by: ['api_key_id', 'line_item'] }),
    costs('costs of 31 days of all spaces', { ...days(31), group_by: ['project_id'] }, null),
    costs('costs of 180 days', days(180)),
    usage('completions of 7 days', days(7)),
    usage('completions of 31 days', days(31)),
    usage('completions of 31 days by user and model', { ...days(31), group_by: ['user_id', 'model'] }),
    usage('completions of 31 days of a busy key', { ...days(31), api_key_ids: [busyKey] }),
    usage('completions of 168 hours by model', { ...hours, group_by: ['model'] }),
    usage('completions of 1,440 minutes', minutes),
    usage('images of 31 days', days(31), usageReports.images),
  ];
}
