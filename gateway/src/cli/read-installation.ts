/** Reads the configuration as "serve" would, for the commands that only need its content. */
import type { WholeConfig } from '../app/read-config.ts';
import type { Flags } from '../app/settings.ts';

export interface Installation extends WholeConfig {
  readonly file: string;
  readonly demo: boolean;
}

export async function readInstallation(flags: Flags): Promise<Installation> {
  const { loadEnvFiles } = await import('../app/env-files.ts');
  const { findConfig } = await import('../app/settings.ts');
  const { fileEnvironment, readWholeConfig } = await import('../app/read-config.ts');
  loadEnvFiles(flags);
  const { env } = process;
  const found = findConfig(flags, env);
  return { ...found, ...readWholeConfig(flags, { env, fileEnv: fileEnvironment(env, found.demo) }, found) };
}
