import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';

export type ListedModel = ResultOf<'models.list'>['data'][number];
