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
  const { loadEnvFiles } = await import('../app/env-files.ts');
  const { findConfig } = await import('../app/settings.ts');
  const { readWholeConfig } = await import('../app/read-config.ts');
  loadEnvFiles(flags);
  const { env } = process;
  const found = findConfig(flags, env);
  // The simulator of the demo has no address until it runs; to read the file, any address will do.
  const fileEnv = found.demo ? { TOLLGATE_SIMULATOR_URL: 'http://127.0.0.1:1', ...env } : env;
  return { ...found, ...readWholeConfig(flags, { env, fileEnv }, found) };
}
