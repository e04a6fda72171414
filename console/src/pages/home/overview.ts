import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';

export type Overview = ResultOf<'spaces.overview'>;

/** How often the page reads it again. */
export const OVERVIEW_REFRESH_MS = 15_000;
