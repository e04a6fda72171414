/** The keys of the signed-in person: creating one here, and finding the name of one from its end. */
import { useCallback, useState } from 'react';
import { useSpace } from '../../addresses/use-space.ts';
import { useChange, useRead } from '../../api/use-operation.ts';
import { useSession } from '../../session/session.ts';

const KEYS_MAX = 1_000;
const HINT_CHARACTERS = 4;
const NAME_BYTES = 3;

export interface KeyMaker {
  readonly makes: boolean;
  readonly error: unknown;
  /** Resolves to the secret, or to null if it failed. */
  make(purpose: string, days: number): Promise<string | null>;
}

/** Creates personal keys in the space of the page. */
export function useKeyMaker(): KeyMaker {
  const space = useSpace();
  const { person } = useSession();
  const [error, setError] = useState<unknown>(null);
  const { mutateAsync, isPending } = useChange('keys.create');
  const make = useCallback(
    async (purpose: string, days: number): Promise<string | null> => {
      setError(null);
      try {
        const name = `${purpose}-${randomWord()}`;
        const made = await mutateAsync({ space, name, kind: 'personal', email: person.email, days });
        return made.key;
      } catch (thrown) {
        setError(thrown);
        return null;
      }
    },
    [mutateAsync, person.email, space],
  );
  return { makes: isPending, error, make };
}

export interface SeenKey {
  readonly name: string;
  /** Null: a shared key. */
  readonly owner: string | null;
}

/** What is known of a key of this space, or null if it is not among those that the person sees. */
export function useSeenKey(key: string): SeenKey | null {
  const space = useSpace();
  const keys = useRead('keys.list', { space, state: 'active', limit: KEYS_MAX }, { enabled: key !== '' });
  if (key === '') return null;
  const end = key.slice(-HINT_CHARACTERS);
  const seen = (keys.data?.data ?? []).filter(
    ({ hint, kind }) => kind !== 'management' && hint.endsWith(end),
  );
  return seen.length === 1 ? (seen[0] ?? null) : null;
}

function randomWord(): string {
  return [...crypto.getRandomValues(new Uint8Array(NAME_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
