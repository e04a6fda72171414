/** The log API over files, in a process of its own: `log-server.ts ROOT`. */
import { systemClock } from '../src/kernel/time.ts';
import { FileStore } from '../src/logs/files/file-store.ts';
import { startLogServer } from '../test/support/log-server.ts';
import { endWithParent, type Listening } from './child-process.ts';

endWithParent();
const store = new FileStore({ root: process.argv[2] ?? '', clock: systemClock });
const { url } = await startLogServer(store);
process.send?.({ port: Number(new URL(url).port) } satisfies Listening);
