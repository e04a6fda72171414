/** Reads the configuration file for the commands that work on its prices, including models without a provider key. */
import { readFileSync } from 'node:fs';
import type { Flags } from '../app/settings.ts';
import type { ConfigFile } from '../config/config-shape.ts';

export interface Sheet {
  readonly file: string;
  /** True: it is the file of the demo, which belongs to the package. */
  readonly demo: boolean;
  readonly text: string;
  readonly content: ConfigFile;
  /** Throws if the server would reject a file with this text. */
  readonly check: (text: string) => void;
}

export async function readSheet(flags: Flags): Promise<Sheet> {
  const { loadEnvFiles } = await import('../app/env-files.ts');
  const { findConfig } = await import('../app/settings.ts');
  const { checkConfigText, fileEnvironment } = await import('../app/read-config.ts');
  loadEnvFiles(flags);
  const { file, demo } = findConfig(flags, process.env);
  const env = fileEnvironment(process.env, demo);
  const read = (text: string): ConfigFile => checkConfigText(text, file, env).content;
  const text = readFileSync(file, 'utf8');
  const check = (changed: string): void => {
    read(changed);
  };
  return { file, demo, text, content: read(text), check };
}
