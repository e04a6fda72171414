import { useParams } from '@tanstack/react-router';
import { SPACE_KEPT } from '../addresses/routes.ts';
import { type Role, useSession } from '../session/session.ts';

/** The space of the page, or the one that was looked at last; null if the person sees none. */
export function useCurrentSpace(): { name: string; role: Role } | null {
  const { space } = useParams({ strict: false });
  const { spaces, person } = useSession();
  const name = space ?? localStorage.getItem(SPACE_KEPT) ?? undefined;
  const known = spaces.find((one) => one.name === name);
  if (known !== undefined) return known;
  // The session names the first spaces only; an operator may open any.
  if (space !== undefined && person.operator) return { name: space, role: 'operator' };
  return spaces[0] ?? null;
}
