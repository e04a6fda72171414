/**
 * The folder of the embedded engine, where fsync reaches the disk. The file system that the engine comes with ignores
 * fsync, and then a power cut may damage the whole database: its log and its pages reach the disk in any order.
 */
import { closeSync, constants, fdatasyncSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

type EngineOptions = Parameters<NodeFS['init']>[1];
type Engine = Parameters<Exclude<NonNullable<EngineOptions['preRun']>, () => void>[number]>[0];

/** A file or folder that the engine has open. */
interface EngineStream {
  /** The descriptor. */
  readonly nfd: number;
  readonly node: { readonly mode: number };
}

/** The part of the engine's file system that is used here; its types do not name it. */
interface EngineFiles {
  readonly stream_ops: { fsync?: (stream: EngineStream) => number };
  tryFSOperation<T>(work: () => T): T;
}

export class DurableFolder extends NodeFS {
  override async init(engine: PGlite, options: EngineOptions): ReturnType<NodeFS['init']> {
    const made = await super.init(engine, options);
    const { preRun = [] } = made.emscriptenOpts;
    const hooks = typeof preRun === 'function' ? [preRun] : preRun;
    return { emscriptenOpts: { ...made.emscriptenOpts, preRun: [...hooks, passFsync] } };
  }
}

function passFsync(engine: Engine): void {
  const files = (engine.FS as unknown as { filesystems: { NODEFS: EngineFiles } }).filesystems.NODEFS;
  // A failure becomes an error number, at which the engine stops, to recover from its log.
  files.stream_ops.fsync = ({ nfd, node }) =>
    files.tryFSOperation(() => {
      // The times of a file do not matter, and writing them costs more than the data.
      if ((node.mode & constants.S_IFMT) === constants.S_IFREG) fdatasyncSync(nfd);
      else fsyncSync(nfd);
      return 0;
    });
}

/** For a folder that was just created: what it was created from is not synced by the engine. */
export function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncTree(path);
    else syncPath(path);
  }
  syncPath(folder);
}

function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
