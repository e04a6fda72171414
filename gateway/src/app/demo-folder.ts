/**
 * The data folder of a demo. A file in it says that a demo created everything else there. It is removed when the folder
 * is served with a configuration, so that no command takes an installation for a demo.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from '../database/folder-lock.ts';
import type { Environment } from '../yaml/expand-text.ts';
import { type Settings, SettingsError } from './settings.ts';

const MARK = 'demo.txt';
const EMPTY_MARK = 'demo-empty.txt';
/** What a server creates in its data folder. Anything else there belongs to somebody else. */
const CREATED = [
  'postgres',
  'blobs',
  'builds',
  'logs',
  'snapshots',
  'write-ahead',
  'admin.sock',
  'admin.lock',
  EMPTY_MARK,
];

const MARK_TEXT = 'A demo of Tollgate created the data in this folder. "tollgate demo reset" removes it.\n';
const EMPTY_TEXT = 'The demo starts without data. "tollgate demo reset" changes that.\n';

/** Whether the demo gets an invented past when it is created. */
export function wantsDemoData(env: Environment, dataFolder: string): boolean {
  const wanted = env.TOLLGATE_DEMO_DATA || null;
  if (wanted !== null && wanted !== 'none')
    throw new SettingsError(
      `TOLLGATE_DEMO_DATA is ${JSON.stringify(wanted)}. Set it to none to start an empty demo, or leave it out.`,
    );
  return wanted === null && !existsSync(join(dataFolder, EMPTY_MARK));
}

/** `created`: this start creates the demo in an embedded database that nobody has used. */
export function markDataFolder(
  dataFolder: string,
  { demo, created }: { demo: boolean; created: boolean },
): void {
  if (demo && created) writeFileSync(join(dataFolder, MARK), MARK_TEXT);
  if (!demo) rmSync(join(dataFolder, MARK), { force: true });
}

/** Throws, with the reason, if the folder cannot be reset. */
export function checkIsDemo({ dataFolder, databaseUrl, s3, demo, configFile }: Settings): void {
  const nothing = 'Nothing was removed.';
  if (!demo)
    throw new SettingsError(`This is not the demo: it has the configuration file ${configFile}. ${nothing}`);
  if (databaseUrl !== null)
    throw new SettingsError(
      `The demo has its data in PostgreSQL (DATABASE_URL), and only an embedded database can be reset. ` +
        `Drop that database and create it again. ${nothing}`,
    );
  if (s3 !== null)
    throw new SettingsError(
      `The demo has its files in the bucket ${s3.bucket} (S3_BUCKET), which cannot be reset. ${nothing}`,
    );
  if (!existsSync(join(dataFolder, MARK)))
    throw new SettingsError(
      `No demo created the data in ${dataFolder}. Name another folder with --data, or remove it yourself. ${nothing}`,
    );
}

/** Throws if a server uses the folder. The mark goes last: a reset that was interrupted can be repeated. */
export function clearDemoFolder(dataFolder: string, { empty }: { empty: boolean }): void {
  const lock = lockFolder(dataFolder);
  try {
    for (const name of CREATED) rmSync(join(dataFolder, name), { recursive: true, force: true });
    if (empty) writeFileSync(join(dataFolder, EMPTY_MARK), EMPTY_TEXT);
    rmSync(join(dataFolder, MARK), { force: true });
  } finally {
    lock.release();
  }
}
