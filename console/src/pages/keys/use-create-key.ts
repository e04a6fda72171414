/** Creates a key, then sets what is set by operations of its own. */
import { asFailure } from '../../api/failure.ts';
import { useChange } from '../../api/use-operation.ts';
import { useSpace } from '../../app/session.ts';
import { type TypedRate, typedRateInput } from '../../parts/rate-fields.tsx';

export interface KeyWanted {
  readonly name: string;
  readonly kind: 'personal' | 'shared' | 'management';
  /** Left out by a member: the key is theirs. */
  readonly email?: string;
  readonly days: string;
  /** Empty: no limit. */
  readonly limit: string;
  /** Null: all. */
  readonly models: readonly string[] | null;
  readonly rate: TypedRate;
}

export interface KeyMade {
  readonly name: string;
  readonly secret: string;
  readonly expiresAt: string;
  /** What could not be set, although the key exists. */
  readonly failed: ReadonlyArray<{ readonly what: 'Models' | 'Rate'; readonly sentence: string }>;
}

export function useCreateKey(): (wanted: KeyWanted) => Promise<KeyMade> {
  const space = useSpace();
  const create = useChange('keys.create');
  const models = useChange('keys.models');
  const rate = useChange('keys.rate');
  return async (wanted) => {
    const { name, kind, email } = wanted;
    const made = await create.mutateAsync({
      ...{ space, name, kind, days: Number(wanted.days) },
      ...(email && { email }),
      ...(wanted.limit !== '' && { month_limit: wanted.limit }),
    });
    const steps = [
      [
        'Models',
        wanted.models !== null,
        () => models.mutateAsync({ space, name, models: wanted.models as string[] }),
      ],
      [
        'Rate',
        wanted.rate.requests !== '' || wanted.rate.tokens !== '',
        () => rate.mutateAsync({ space, name, ...typedRateInput(wanted.rate) }),
      ],
    ] as const;
    const failed: Array<KeyMade['failed'][number]> = [];
    for (const [what, isWanted, set] of steps) {
      if (!isWanted) continue;
      try {
        await set();
      } catch (error) {
        failed.push({ what, sentence: asFailure(error).sentence });
      }
    }
    return { name, secret: made.key, expiresAt: made.expires_at, failed };
  };
}
