/** A checked query as a question to the database: its buckets, its filters, and the cursor of the next page. */
import type { BucketQuery } from '../../contract/organization/bucket-query.ts';
import type { BucketLimits, BucketWidth } from '../../contract/organization/usage-reports.ts';
import { SECOND_MS } from '../../kernel/durations.ts';
import { Problem } from '../../kernel/problem.ts';
import { type Instant, unixSecondsOf } from '../../kernel/time.ts';
import type { AskedWork } from './asked-work.ts';
import {
  type Bucket,
  type BucketPeriod,
  bucketsOf,
  cursorAt,
  endOfBucket,
  questionOf,
  readCursor,
} from './buckets.ts';

/** Who asks. */
export interface UsageReader {
  /** Of the key or the token. */
  readonly id: string;
  /** Whose usage it may read; null: of all spaces. */
  readonly spaceIds: readonly string[] | null;
}

export interface UsageQuestion {
  readonly buckets: readonly Bucket[];
  readonly work: AskedWork;
  /** The cursor of the page that begins with this second; null: there is none. */
  pageFrom(second: number): string | null;
}

/** How many results a page has at most. A page with more ends after fewer buckets. */
export const RESULTS_MAX = 20_000;

export function readQuestion(
  query: BucketQuery,
  of: {
    report: string;
    reader: UsageReader;
    limits: Readonly<Partial<Record<BucketWidth, BucketLimits>>>;
    now: Instant;
  },
): UsageQuestion {
  const { bucket_width: name = '1d', group_by: groups = [] } = query;
  const width = of.limits[name] as BucketLimits;
  const { start_time: _, end_time: __, limit: ___, page, ...asked } = query;
  const question = questionOf(of.report, { ...asked, bucket_width: name, spaces: of.reader.spaceIds });
  const period = page === undefined ? periodOf(query, { width, now: of.now }) : continued(page, question);
  const buckets = bucketsOf(period, width.seconds, limitOf(query, name, width));
  const { project_ids: projects, user_ids: memberIds = [], api_key_ids: keyIds = [] } = query;
  return {
    buckets,
    work: {
      filters: {
        spaceIds: projects ?? of.reader.spaceIds,
        memberIds,
        keyIds,
        models: query.models ?? query.line_items ?? [],
        batch: query.batch ?? null,
      },
      starts: buckets.map(({ start }) => start * SECOND_MS),
      until: (buckets.at(-1)?.end ?? period.until) * SECOND_MS,
      byDay: name === '1d',
      groups,
      rowsMax: RESULTS_MAX,
    },
    pageFrom: (from) => (from < period.until ? cursorAt({ from, until: period.until }, question) : null),
  };
}

/** Nothing is known of the time after now, so the last bucket is the one of now. */
function periodOf(
  { start_time: from, end_time: end = Number.POSITIVE_INFINITY }: BucketQuery,
  { width, now }: { width: BucketLimits; now: Instant },
): BucketPeriod {
  if (end <= from)
    throw new Problem('invalid_parameter', {
      detail: `end_time must be after start_time (${from}); it is ${end}.`,
      param: 'end_time',
    });
  return { from, until: Math.min(end, endOfBucket(unixSecondsOf(now), width.seconds)) };
}

function continued(page: string, question: string): BucketPeriod {
  const period = readCursor(page, question);
  if (period !== null) return period;
  throw new Problem('invalid_parameter', {
    detail:
      'page belongs to another question. Send it with the same groups, filters and bucket_width as the page before, or ' +
      'leave it out to start from the beginning.',
    param: 'page',
  });
}

function limitOf({ limit }: BucketQuery, name: string, { usual, max }: BucketLimits): number {
  if (limit === undefined || limit <= max) return limit ?? usual;
  throw new Problem('invalid_parameter', {
    detail: `limit must be from 1 to ${max} with bucket_width ${name}; it is ${limit}.`,
    param: 'limit',
  });
}
