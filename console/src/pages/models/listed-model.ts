import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';

export type ModelRowData = ResultOf<'models.list'>['data'][number];
