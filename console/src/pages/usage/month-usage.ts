import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';

import type { usageDimensions } from '../../../../gateway/src/contract/administration/words.ts';

/** What was used in a month, by one dimension that every request has. */
export interface MonthUsage extends ResultOf<'reports.usage'> {
  readonly by: (typeof usageDimensions)[number];
}
