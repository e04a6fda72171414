import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';

/** What was used in a month, by one dimension. */
export type MonthUsage = ResultOf<'reports.usage'>;
