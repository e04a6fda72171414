/** Writes `src/database/schema.sql` from a new embedded database. Run it after every change of the schema. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { systemClock } from '../src/kernel/time.ts';
import { describeSchema } from './describe-schema.ts';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-schema-'));
const db = await openDatabase({ url: null, folder, clock: systemClock });
try {
  await migrate(db, systemClock);
  writeFileSync(new URL('../src/database/schema.sql', import.meta.url), await describeSchema(db));
} finally {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
}
