/**
 * Finds the sources of a project by folder names: `pods/<namespace>_<pod>_<uid>/<container>/`. A pod belongs
 * to the project whose id is its namespace.
 */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kernel/time.ts';
import { type LogSource, sourceId } from '../source.ts';
import { isGone } from './log-file.ts';
import { readRestarts } from './source-folder.ts';
import { FolderWatch } from './watch-folder.ts';

/** A namespace may contain underscores here; pod names and uids never do. */
const POD_FOLDER = /^([a-z0-9][a-z0-9_.-]{0,252})_([a-z0-9][a-z0-9.-]{0,252})_([A-Za-z0-9-]{1,64})$/;
const CONTAINER = /^[a-z0-9][a-z0-9-]{0,62}$/;

export interface FoundSource extends LogSource {
  readonly folder: string;
}

export async function* discoverFolders(
  pods: string,
  project: string,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<FoundSource[]> {
  const changes = new FolderWatch(pods, clock);
  try {
    for (let reported: string | null = null; !signal.aborted; await changes.wait(signal)) {
      const sources = await listSources(pods, project);
      const text = sources.map(({ id, ended }) => `${id} ${ended}`).join('\n');
      if (text === reported) continue;
      reported = text;
      yield sources;
    }
  } finally {
    changes.close();
  }
}

export async function listSources(pods: string, project: string): Promise<FoundSource[]> {
  const sources: FoundSource[] = [];
  for (const name of await folderNames(pods)) {
    const match = POD_FOLDER.exec(name);
    if (match === null || match[1] !== project) continue;
    const [, , pod = '', podUid = ''] = match;
    for (const container of await folderNames(join(pods, name))) {
      if (!CONTAINER.test(container)) continue;
      const folder = join(pods, name, container);
      const restarts = (await readRestarts(folder)) ?? [];
      for (const restart of restarts) {
        const names = { pod, podUid, container, restart };
        sources.push({ ...names, id: sourceId(names), ended: restart !== restarts.at(-1), folder });
      }
    }
  }
  return sources.sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function folderNames(folder: string): Promise<string[]> {
  try {
    const entries: Dirent[] = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}
