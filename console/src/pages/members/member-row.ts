import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';

export type MemberRow = ResultOf<'members.list'>['data'][number];
