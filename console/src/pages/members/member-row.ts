import type { ResultOf } from '../../../../gateway/src/contract/administration/admin-endpoints.ts';

export type MemberRow = ResultOf<'members.list'>['data'][number];

/** Of a dialog that changes something of a member. */
export interface MemberChangeProps {
  readonly row: MemberRow;
  onClose(): void;
}
