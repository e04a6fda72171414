/** A process of its own that opens an embedded data folder, says so, and keeps it until it is killed. */
import { openDatabase } from '../../src/database/open-database.ts';
import { systemClock } from '../../src/kernel/time.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('say which folder');
await openDatabase({ url: null, folder, clock: systemClock });
process.stdout.write('open\n');
