/** Opens the configured engine. */
import type { Clock } from '../kernel/time.ts';
import type { Database } from './database.ts';
import { openEmbedded } from './embedded.ts';
import { explainFailedOpen } from './explain-open-error.ts';

export interface DatabaseOptions {
  /** A PostgreSQL address; without one the embedded engine runs in `folder`. */
  readonly url: string | null;
  readonly folder: string;
  readonly clock: Clock;
  readonly onLost?: (error: Error) => void;
  /** Called when a deadlock was rolled back and is retried. */
  readonly onUndone?: (error: Error) => void;
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, folder, clock, onLost, onUndone } = options;
  if (url === null) return await openEmbedded({ folder, clock, ...(onLost && { onLost }) });
  // Loaded only when used: the embedded engine needs no PostgreSQL client.
  const { openPostgres } = await import('./postgres.ts');
  try {
    return await openPostgres({ url, clock, ...(onLost && { onLost }), ...(onUndone && { onUndone }) });
  } catch (error) {
    throw explainFailedOpen(error, url);
  }
}
