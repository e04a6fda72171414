/** `tollgate backup` and `tollgate restore` that are killed midway: the next run works as if they had never begun. */
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS, HOUR_MS } from '../../src/kernel/durations.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { verifyBackup } from '../../src/maintenance/verify-backup.ts';
import { isLongForm } from '../faults/run-fault.ts';
import { allRows, backUpOf, makeFolder, withDatabase } from '../support/backup-stage.ts';
import { changeConfig } from '../support/config.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';
import { chatLine, filesConfig, getFile, kept, uploaded } from '../support/files-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { killCommand } from '../support/killed-command.ts';
import { runCli } from '../support/run-cli.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

type Moment = (place: TestPlace) => boolean | Promise<boolean>;
const backupBytes = isLongForm ? [0, 20_000, 60_000] : [20_000];

describe.each(engines)('on %s', (engine) => {
  const clock = shiftedClock();
  let gateway: TestGateway;
  let folder: ReturnType<typeof makeFolder>;
  beforeAll(async () => {
    folder = makeFolder();
    gateway = await startGateway({
      engine,
      config: changeConfig(filesConfig, { api: { file_lists: true } }),
      clock,
    });
    // Large, so that a backup takes long enough to be killed by a busy machine.
    const lines = Array.from({ length: 40 }, (_, i) => chatLine(`${i}${'x'.repeat(200_000)}`));
    await uploaded(gateway, lines.join(''));
  });
  afterAll(async () => {
    await gateway?.stop();
    folder.remove();
  });

  const environmentOf = ({ databaseUrl }: { databaseUrl: string | null }): Record<string, string> =>
    databaseUrl === null ? {} : { DATABASE_URL: databaseUrl };
  const argsOf = (name: string, path: string, data: string): string[] => [
    ...[name, path, '--config', gateway.configFile, '--data', data],
  ];
  const partials = (): string[] => readdirSync(folder.path).filter((name) => name.includes('.partial'));
  const partialBytes = (): number =>
    Math.max(-1, ...partials().map((name) => statSync(join(folder.path, name)).size));

  test.each(backupBytes)(
    'a backup that is killed at %i bytes is no backup, and the next one is complete',
    async (bytes) => {
      const args = argsOf('backup', folder.path, gateway.folder);
      const env = environmentOf(gateway);
      expect(await killCommand({ args, env, when: () => partialBytes() >= bytes })).toBe(true);
      expect(partials()).not.toEqual([]);
      expect((await runCli(['restore', folder.path, '--data', join(folder.path, 'none')])).stderr).toContain(
        'There is no backup',
      );
      // What a killed command left is removed by the first backup after a day.
      const old = (systemClock.now() - DAY_MS - HOUR_MS) / 1_000;
      for (const name of partials()) utimesSync(join(folder.path, name), old, old);
      const { file } = await backUpOf(join(folder.path, `after-${bytes}.tar`), gateway);
      await verifyBackup(file);
      expect(partials()).toEqual([]);
    },
  );

  test('files are held for a killed backup, and deleted when its day is over', async () => {
    expect(await gateway.query(sql`select id from blob_holds`)).toHaveLength(backupBytes.length);
    const { id } = await uploaded(gateway, chatLine('two'));
    expect((await getFile(gateway, id, gateway.key, 'DELETE')).status).toBe(200);
    await gateway.sweepFiles();
    expect(await kept(gateway)).toMatchObject({ blobs: 2, pending: 1 });
    clock.shift(DAY_MS + HOUR_MS);
    await gateway.sweepFiles();
    expect(await kept(gateway)).toMatchObject({ blobs: 1, pending: 0 });
    clock.shift(-DAY_MS - HOUR_MS);
  });

  const created: Moment = ({ folder: data }) => existsSync(join(data, 'postgres'));
  const firstFile: Moment = ({ folder: data }) => blobsIn(data) > 0;
  const moments: Record<string, Moment> =
    engine === 'embedded'
      ? {
          'while the database is created': created,
          // The engine takes long to create a database, so the suite is content with one moment.
          ...(isLongForm && {
            'after the first file': firstFile,
            'while rows are written': later(firstFile, 400),
          }),
        }
      : {
          'after the first file': firstFile,
          'while rows are written': async (place) => blobsIn(place.folder) > 0 && (await isWriting(place)),
        };

  test.each(Object.keys(moments))('a restore that is killed %s can be repeated', async (moment) => {
    const place = await makePlace(engine, { empty: true });
    const args = argsOf('restore', join(folder.path, 'after-20000.tar'), place.folder);
    const env = environmentOf(place);
    expect(await killCommand({ args, env, when: () => moments[moment]?.(place) ?? true })).toBe(true);
    expect(await runCli(args, { env })).toMatchObject({ code: 0, stderr: '' });
    const rows = await withDatabase(place, allRows);
    expect(rows.files).toHaveLength(1);
    expect(blobsIn(place.folder)).toBe(1);
    await place.remove();
  });
});

function blobsIn(data: string): number {
  const blobs = join(data, 'blobs');
  return existsSync(blobs) ? readdirSync(blobs).filter((name) => name.startsWith('file_')).length : 0;
}

/** So long after a moment: the embedded engine tells nobody how far it is. */
function later(moment: Moment, delayMs: number): Moment {
  let sinceMs: number | null = null;
  return async (place) => {
    if (sinceMs === null && (await moment(place))) sinceMs = systemClock.elapsedMs();
    return sinceMs !== null && systemClock.elapsedMs() - sinceMs >= delayMs;
  };
}

/** Whether a transaction has changed something and is not over. */
async function isWriting({ databaseUrl }: TestPlace): Promise<boolean> {
  const client = new pg.Client(databaseUrl as string);
  await client.connect();
  const { rowCount } = await client.query(
    `select 1 from pg_stat_activity where datname = current_database() and backend_xid is not null`,
  );
  await client.end();
  return rowCount === 1;
}
