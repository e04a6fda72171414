/** The server that runs on the data folder of this installation, if one does. */
import { askServer } from '../app/ask-server.ts';
import { loadEnvFiles } from '../app/env-files.ts';
import type { ServerStatus } from '../app/server-status.ts';
import { type Flags, findConfig, findDataPlace } from '../app/settings.ts';

/** Only the folder matters: a running server has read the configuration itself. */
export function dataFolderOf(flags: Flags): string {
  loadEnvFiles(flags);
  findConfig(flags, process.env);
  return findDataPlace(flags, process.env).dataFolder;
}

/** Null when no server is running. */
export async function runningServer(flags: Flags): Promise<ServerStatus | null> {
  return (await askServer(dataFolderOf(flags), 'status', {}))?.result ?? null;
}
