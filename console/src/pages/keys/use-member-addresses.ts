import { useSpace } from '../../addresses/use-space.ts';
import { useRead } from '../../api/use-operation.ts';

const OFFERED_MAX = 200;

/** Offered while somebody types the address of a member. Only administrators may list members. */
export function useMemberAddresses(enabled: boolean): string[] {
  const space = useSpace();
  const { data } = useRead('members.list', { space, limit: OFFERED_MAX }, { enabled });
  return data?.data.map(({ email }) => email) ?? [];
}
