/**
 * The embedded engine in a thread of its own, because a statement would block the event loop of the main thread. Uses
 * the protocol of embedded-engine.ts.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { rowParsers } from './database.ts';
import { DurableFolder, syncTree } from './durable-folder.ts';
import type {
  CompiledEngine,
  WorkerData,
  WorkerError,
  WorkerReply,
  WorkerRequest,
} from './embedded-engine.ts';

const port = parentPort;
if (port === null) throw new Error('embedded-worker runs only as a worker thread');

const { WebAssembly: webAssembly } = globalThis as unknown as {
  WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledEngine> };
};
const { folder, compiled } = workerData as WorkerData;

/** The main thread keeps the compiled module, so that reopening the engine in this process does not compile again. */
async function compile(): Promise<CompiledEngine> {
  const file = new URL('./pglite.wasm', import.meta.resolve('@electric-sql/pglite'));
  const made = await webAssembly.compile(await readFile(file));
  port?.postMessage({ compiled: made } satisfies WorkerReply);
  return made;
}

const isNew = !existsSync(join(folder, 'PG_VERSION'));
const opening = PGlite.create({
  fs: new DurableFolder(folder),
  pgliteWasmModule: compiled ?? (await compile()),
  parsers: { ...rowParsers },
  startParams: [
    // -F would turn fsync off. Of the ways to sync the log, this is the one that the file system passes on.
    ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
    ...['-c', 'fsync=on', '-c', 'full_page_writes=on', '-c', 'wal_sync_method=fsync'],
    ...['-c', 'synchronous_commit=on'],
    // The default of 128 MB is for a server with many clients; here is one.
    ...['-c', 'shared_buffers=16MB'],
    // Plans are made once, and nobody reads statistics of activity here: planning and counting would
    // be a large part of every small statement.
    ...['-c', 'plan_cache_mode=force_generic_plan'],
    ...['-c', 'track_counts=off', '-c', 'track_activities=off'],
  ],
}).then((engine) => {
  if (isNew) syncTree(folder);
  return engine;
});

async function answer(request: WorkerRequest): Promise<unknown> {
  const engine = await opening;
  switch (request.kind) {
    case 'query':
      return (await engine.query(request.text, [...request.values])).rows;
    case 'script':
      await engine.exec(request.text);
      return null;
    case 'listen':
      await engine.listen(request.text, (payload) => {
        port?.postMessage({ notify: request.text, payload } satisfies WorkerReply);
      });
      return null;
    case 'close':
      await engine.close();
      return null;
  }
}

port.on('message', (request: WorkerRequest) => {
  answer(request).then(
    (result) => port.postMessage({ id: request.id, result } satisfies WorkerReply),
    (error: unknown) => port.postMessage({ id: request.id, error: describe(error) } satisfies WorkerReply),
  );
});

function describe(error: unknown): WorkerError {
  const { message, code, severity } = error as { message?: string; code?: string; severity?: string };
  return { message: message ?? String(error), code: code ?? null, fatal: isFatal(error, severity) };
}

/**
 * PostgreSQL would crash here and recover at its next start. The compiled engine continues instead and fails every
 * later statement; its memory must not be written to disk any more.
 */
function isFatal(error: unknown, severity: string | undefined): boolean {
  if (severity === 'PANIC' || severity === 'FATAL') return true;
  const { name } = error as { name?: string };
  return name === 'RuntimeError' || name === 'ExitStatus';
}
