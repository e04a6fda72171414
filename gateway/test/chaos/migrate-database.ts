/** A process of its own that connects to a database, says so, and migrates it on command. */
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { systemClock } from '../../src/kernel/time.ts';

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error('say which database');
const db = await openDatabase({ url, folder: '', clock: systemClock });
process.stdout.write('open\n');
process.stdin.once('data', () => void run());

async function run(): Promise<void> {
  const ran = await migrate(db, systemClock);
  process.stdout.write(`${JSON.stringify(ran)}\n`);
  await db.close();
  process.exit(0);
}
