/** Reads the configuration as "serve" would, for the commands that only need its content. */
import type { Flags, Settings } from '../app/settings.ts';
import type { Catalog } from '../catalog/catalog.ts';

export interface Installation {
  readonly file: string;
  readonly demo: boolean;
  readonly catalog: Catalog;
  readonly settings: Settings;
}

export async function readInstallation(flags: Flags): Promise<Installation> {
  const { findConfig, readSettings } = await import('../app/settings.ts');
  const { readConfig } = await import('../app/catalog-source.ts');
  const { readCatalog } = await import('../catalog/read-catalog.ts');
  const found = findConfig(flags, process.env);
  // The simulator of the demo has no address until it runs; to read the file, any address will do.
  const env = found.demo ? { TOLLGATE_SIMULATOR_URL: 'http://127.0.0.1:1', ...process.env } : process.env;
  const { content, updatedAt } = readConfig(found.file, env);
  return {
    ...found,
    catalog: readCatalog(content, updatedAt),
    settings: readSettings(flags, process.env, { ...found, content }),
  };
}
