/** Names a database, so that what was stored for one is never applied to another. */
import { type Database, DatabaseUnavailable } from './database.ts';

/**
 * The identifier of the cluster, which its replicas share, and the name of the database. Null if the user may not read it.
 */
export async function databaseIdentity(db: Database): Promise<string | null> {
  const text = `select system_identifier::text || '/' || current_database() as identity from pg_control_system()`;
  try {
    const [row] = await db.query<{ identity: string }>({ text, values: [] });
    return row?.identity ?? null;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    return null;
  }
}
