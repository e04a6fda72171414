/** Opens the engine the configuration asks for. */
import type { Clock } from '../kernel/time.ts';
import type { Database } from './database.ts';
import { openEmbedded } from './embedded.ts';
import { explainFailedOpen } from './explain-failed-open.ts';

export interface DatabaseOptions {
  /** A PostgreSQL address; without one the embedded engine runs in `folder`. */
  readonly url: string | null;
  readonly folder: string;
  readonly clock: Clock;
  readonly onLost?: (error: Error) => void;
  /** What was undone to end a deadlock, and is done again. */
  readonly onUndone?: (error: Error) => void;
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, folder, clock, onLost, onUndone } = options;
  if (url === null) return await openEmbedded({ folder, clock, ...(onLost && { onLost }) });
  // Loaded only where it is used: the embedded engine needs no PostgreSQL client.
  const { openPostgres } = await import('./postgres.ts');
  try {
    return await openPostgres({ url, clock, ...(onLost && { onLost }), ...(onUndone && { onUndone }) });
  } catch (error) {
    throw explainFailedOpen(error, url);
  }
}
