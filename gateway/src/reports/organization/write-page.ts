/** Writes the rows of a question as a page of buckets. Pure. */
import { Problem } from '../../kernel/problem.ts';
import type { WorkRow } from './asked-work.ts';
import { RESULTS_MAX, type UsageQuestion } from './read-question.ts';

interface FoundRow extends WorkRow {
  readonly lost: number;
}

/**
 * `rows` are in the order of buckets, those that were lost first. If there are more than a page may have, it ends before the
 * bucket of the last one.
 */
export function writeBuckets<Row extends FoundRow>(
  { buckets, pageFrom }: UsageQuestion,
  rows: readonly Row[],
  resultsOf: (rows: readonly Row[]) => object[],
): string {
  if ((rows[0]?.lost ?? 0) > 0) throw lostCalls(rows[0]?.lost ?? 0);
  const last = rows.length > RESULTS_MAX ? (rows.at(-1) as Row).bucket - 1 : buckets.length;
  if (last === 0 && buckets.length > 0) throw tooManyResults();
  const byBucket = Map.groupBy(rows, ({ bucket }) => bucket);
  const shown = buckets.slice(0, last);
  const data = shown.map(({ start, end }, i) => ({
    object: 'bucket',
    start_time: start,
    end_time: end,
    results: resultsOf(byBucket.get(i + 1) ?? []),
  }));
  const next = shown.length === 0 ? null : pageFrom(shown.at(-1)?.end as number);
  return JSON.stringify({ object: 'page', data, has_more: next !== null, next_page: next });
}

function lostCalls(requests: number): Problem {
  return new Problem('invalid_parameter', {
    detail:
      `${requests} calls of this period were removed (retention.calls_days), and only sums of their days are left. Ask with ` +
      'bucket_width 1d for whole days: start_time and end_time at 00:00 UTC or 00:00 KST. For calls that a version before ' +
      'these reports removed, ask for costs, or for a later start_time.',
    param: 'start_time',
  });
}

function tooManyResults(): Problem {
  return new Problem('invalid_parameter', {
    detail:
      `group_by gives more than ${RESULTS_MAX.toLocaleString('en')} results in one bucket. Leave out a field, or filter to some ` +
      'projects, users, keys or models.',
    param: 'group_by',
  });
}
