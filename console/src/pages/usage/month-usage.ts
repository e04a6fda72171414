import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';
import { attributedDimensions } from '../../../../gateway/src/contract/administration/usage-dimensions.ts';
import { usageDimensions } from '../../../../gateway/src/contract/administration/words.ts';

export type MonthUsage = ResultOf<'reports.usage'>;

/** Tags have one tab. */
export const TAG = 'tag';
const TAG_OF = `${TAG}:`;
export const usageTabs = [...usageDimensions, ...attributedDimensions, TAG] as const;
export type UsageTab = (typeof usageTabs)[number];

export function tabOf(dimension: string | undefined): UsageTab | undefined {
  if (dimension?.startsWith(TAG_OF)) return TAG;
  return usageTabs.find((one) => one === dimension && one !== TAG);
}

/** The tab of a dimension that every request has. */
export function isPlainTab(tab: UsageTab): tab is (typeof usageDimensions)[number] {
  return (usageDimensions as readonly string[]).includes(tab);
}

export function tagKeyOf(dimension: string): string {
  return dimension.slice(TAG_OF.length);
}
