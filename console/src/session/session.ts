/** The session of the person, and their right in the space of the page. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ConsoleSession, VisitorSession } from '../../../gateway/src/contract/console.ts';
import { useSpace } from '../addresses/use-space.ts';
import { rememberSession, send } from '../api/ask-console.ts';

export const SESSION_PATH = '/api/console/session';
const VISITOR_PATH = '/api/console/visitor';

/** Null if nobody is signed in. Asked for as a visitor, because a 401 would be an error in the log of the browser. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<ConsoleSession | null> => {
    const { session } = (await send('GET', VISITOR_PATH, { signal })) as VisitorSession;
    return session && rememberSession(session);
  },
  staleTime: 60_000,
});

/** For pages of signed-in people. */
export function useSession(): ConsoleSession {
  const { data } = useQuery(sessionQuery);
  if (data === null || data === undefined) throw new Error('nobody is signed in');
  return data;
}

export type Role = ConsoleSession['spaces'][number]['role'];

/** What the person may do in the space of the page; an operator may do what an administrator may. */
export function useRole(): { role: Role; isAdmin: boolean; isOperator: boolean } {
  const space = useSpace();
  const { spaces, person } = useSession();
  const role = spaces.find(({ name }) => name === space)?.role ?? (person.operator ? 'operator' : 'member');
  return { role, isAdmin: role !== 'member', isOperator: person.operator };
}
