/** Backups from and to buckets, and of a database with an older schema. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMigrations } from '../../src/database/migrate.ts';
import { verifyBooks } from '../../src/reports/verify-books.store.ts';
import { backUpOf, makeFolder, restoreTo, serveAt, withDatabase } from '../support/backup-stage.ts';
import { pointAt, testConfig } from '../support/config.ts';
import { makePlace, quickEngine } from '../support/engines.ts';
import { chatLine, filesConfig, getFile, uploaded } from '../support/files-stage.ts';
import { startGateway } from '../support/gateway.ts';
import { loadOldDatabase, oldFigures, oldSchemas } from '../support/old-database.ts';
import { startS3, type TestS3 } from '../support/s3.ts';

describe('files in a bucket', () => {
  let s3: TestS3;
  beforeAll(async () => {
    s3 = await startS3();
  });
  afterAll(() => s3?.stop());

  test('are in a backup, and are restored to a folder and to another bucket', async () => {
    const bucket = (prefix: string): Record<string, string> => ({
      S3_BUCKET: s3.bucket,
      S3_ENDPOINT: s3.endpoint,
      S3_PREFIX: prefix,
    });
    const folder = makeFolder();
    const gateway = await startGateway({ config: filesConfig, env: bucket('from/') });
    const { id } = await uploaded(gateway, chatLine('one'));
    const from = { ...gateway, env: bucket('from/') };
    const { file, blobs } = await backUpOf(folder.path, from);
    expect(blobs).toBe(1);
    for (const env of [{}, bucket('to/')]) {
      const restored = await restoreTo(quickEngine, file, { configFile: gateway.configFile, env });
      expect(restored.report).toMatchObject({ blobs: 1, disagreements: 0 });
      const { url, server } = await serveAt(restored);
      expect(await (await getFile({ ...gateway, url }, `${id}/content`)).text()).toBe(chatLine('one'));
      await server.stop();
      await restored.place.remove();
    }
    await gateway.stop();
    folder.remove();
  });
});

describe('a database of an older version', () => {
  test('is backed up as it is, and brought up to this version when it is restored', async () => {
    const folder = makeFolder();
    const place = await makePlace(quickEngine, { empty: true });
    const configFile = join(folder.path, 'tollgate.yaml');
    writeFileSync(configFile, pointAt(testConfig(), { simulator: { url: 'http://127.0.0.1:1/v1' } }));
    const [older] = oldSchemas;
    await withDatabase(place, (db) => loadOldDatabase(db, older));
    const { file, schema } = await backUpOf(folder.path, { ...place, configFile });
    expect(schema).toBe(older);
    const restored = await restoreTo(quickEngine, file, { configFile });
    expect(restored.report).toMatchObject({ schema: older, disagreements: 0 });
    const newer = readMigrations().filter(({ version }) => version > older);
    expect(restored.report.migrated).toEqual(newer.map(({ name }) => name));
    const { spaces } = await withDatabase(restored, verifyBooks);
    expect(spaces).toMatchObject(oldFigures(older).spaces);
    for (const one of [place, restored.place]) await one.remove();
    folder.remove();
  });
});
