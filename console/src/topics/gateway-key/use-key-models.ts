import { useQuery } from '@tanstack/react-query';
import type { ModelObject } from '../../../../gateway/src/contract/models.ts';
import { listModels } from '../../api/list-models.ts';

/** The models of a key with the prices for it; null without a valid key, and until they are known. */
export function useKeyModels(key: string): readonly ModelObject[] | null {
  const { data } = useQuery({
    queryKey: ['models of a key', key],
    queryFn: ({ signal }) => listModels(key, signal),
    enabled: key !== '',
    retry: false,
  });
  return key === '' ? null : (data ?? null);
}
