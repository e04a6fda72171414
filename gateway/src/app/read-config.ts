/** Reads `tollgate.yaml` from the disk, with the secret files that it names. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Catalog } from '../catalog/catalog.ts';
import { readCatalog } from '../catalog/read-catalog.ts';
import { type ParsedConfig, parseConfig } from '../config/config-file.ts';
import type { ConfigFile } from '../config/config-shape.ts';
import type { Instant } from '../kernel/time.ts';
import type { ConfigProblems } from '../yaml/config-problems.ts';
import type { Environment } from '../yaml/expand-text.ts';
import { type Flags, readSettings, type Settings } from './settings.ts';
import { readTraceSettings } from './trace-settings.ts';

export interface ReadConfig {
  readonly content: ConfigFile;
  readonly catalog: Catalog;
  /** Empty. Gives what is found out later its place in the file. */
  readonly problems: ConfigProblems;
}

export interface WholeConfig extends ReadConfig {
  readonly settings: Settings;
}

const SECRET_BYTES_MAX = 64 * 1024;

/** Everything that `serve` needs of the file and the environment. Throws an error that names all that is wrong. */
export function readWholeConfig(
  flags: Flags,
  envs: { env: Environment; fileEnv: Environment },
  { file, demo }: { file: string; demo: boolean },
): WholeConfig {
  const { parsed, updatedAt } = openConfig(file, envs.fileEnv);
  const { content, problems } = parsed;
  const catalog = problems.attempt(() => readCatalog(content, updatedAt));
  const settings = problems.attempt(() => readSettings(flags, envs.env, { file, demo, content }));
  problems.attempt(() => readTraceSettings(envs.env));
  problems.throwAny(file);
  return { content, problems, catalog: catalog as Catalog, settings: settings as Settings };
}

/** The simulator of the demo has no address until it runs; to read the file, any address will do. */
export function fileEnvironment(env: Environment, demo: boolean): Environment {
  return demo ? { TOLLGATE_SIMULATOR_URL: 'http://127.0.0.1:1', ...env } : env;
}

/** The content without its catalogue, for commands that need neither models nor prices. */
export function readContent(file: string, env: Environment): ConfigFile {
  const { content, problems } = openConfig(file, env).parsed;
  problems.throwAny(file);
  return content;
}

/** The content and the catalogue, for a server that runs already. */
export function readConfig(file: string, env: Environment): ReadConfig {
  return checkConfigText(readFileSync(file, 'utf8'), file, env);
}

/** The same for a text that this file could have. */
export function checkConfigText(text: string, file: string, env: Environment): ReadConfig {
  const { parsed, updatedAt } = openConfig(file, env, text);
  const { content, problems } = parsed;
  const catalog = problems.attempt(() => readCatalog(content, updatedAt));
  problems.throwAny(file);
  return { content, problems, catalog: catalog as Catalog };
}

function openConfig(
  file: string,
  env: Environment,
  text = readFileSync(file, 'utf8'),
): { parsed: ParsedConfig; updatedAt: Instant } {
  const parsed = parseConfig(text, { env, readFile: secretReader(file) });
  return { parsed, updatedAt: statSync(file).mtimeMs };
}

/** Paths are relative to the folder of the configuration file. A last line break is not part of the secret. */
function secretReader(configFile: string): (path: string) => string {
  return (path) => {
    const file = resolve(dirname(configFile), path);
    let content: string;
    try {
      if (statSync(file).size > SECRET_BYTES_MAX) throw new Error('it has more than 64 KiB');
      content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      throw new Error(`the file ${file} cannot be read: ${reasonOf(error as Error)}`);
    }
    if (content === '') throw new Error(`the file ${file} is empty`);
    return content;
  };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

function reasonOf(error: Error & { code?: string }): string {
  return error.code === undefined ? error.message : (REASONS[error.code] ?? error.code);
}
