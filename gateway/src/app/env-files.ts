/**
 * Variables from a file `.env` beside the configuration file, and then from one in the working folder. A variable of
 * the real environment wins over both. Values are never logged.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Environment } from '../yaml/expand-text.ts';
import { type Flags, SettingsError } from './settings.ts';

const CONFIG_FILE = 'tollgate.yaml';
/**
 * Never taken from a file: somebody else's folder must not decide where a key or a session is sent, and what TOLLGATE_PLAIN
 * says is done before a file is read.
 */
const NOT_FROM_FILES: readonly string[] = [
  ...['TOLLGATE_URL', 'TOLLGATE_KEY', 'TOLLGATE_TOKEN', 'TOLLGATE_SESSION', 'XDG_CONFIG_HOME'],
  'TOLLGATE_PLAIN',
];

/** Adds them to `env`, because libraries such as the AWS SDK read the environment themselves. */
export function loadEnvFiles(flags: Flags, env: Record<string, string | undefined> = process.env): void {
  const here = resolve('.env');
  const near = readEnvFile(here);
  const config = flags.config ?? env.TOLLGATE_CONFIG ?? near.TOLLGATE_CONFIG ?? CONFIG_FILE;
  const beside = join(dirname(resolve(config)), '.env');
  const files = beside === here ? [near] : [readEnvFile(beside), near];
  for (const [name, value] of files.flatMap(Object.entries<string | undefined>))
    if (!NOT_FROM_FILES.includes(name)) env[name] ??= value;
}

function readEnvFile(file: string): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code } = error as { code?: string };
    // A folder of that name is a virtual environment of Python.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return {};
    throw new SettingsError(`${file} cannot be read: ${code ?? (error as Error).message}.`);
  }
}
