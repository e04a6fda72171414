/** Says to people that what they ask for cannot be looked up while the database is away. */
import { DatabaseUnavailable } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';

export async function whenReached<T>(detail: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    throw new Problem('service_unavailable', { detail, retryAfterMs: 1_000, cause: error });
  }
}
