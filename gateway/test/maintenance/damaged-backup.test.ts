/** A backup that is torn, changed or of a newer version is rejected before anything is written. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestoreTarget } from '../../src/app/backup-source.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { writeManifest } from '../../src/maintenance/manifest.ts';
import { readTar } from '../../src/maintenance/read-tar.ts';
import { restoreBackup } from '../../src/maintenance/restore.ts';
import { TarWriter } from '../../src/maintenance/tar-writer.ts';
import { verifyBackup } from '../../src/maintenance/verify-backup.ts';
import {
  allRows,
  backUpOf,
  makeFolder,
  restoreTo,
  settingsOf,
  withDatabase,
} from '../support/backup-stage.ts';
import { makePlace, quickEngine } from '../support/engines.ts';
import { chatLine, filesConfig, uploaded } from '../support/files-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { runCli } from '../support/run-cli.ts';

describe('a damaged backup', () => {
  const folder = makeFolder();
  const good = join(folder.path, 'good.tar');
  const bad = join(folder.path, 'bad.tar');
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ config: filesConfig });
    await uploaded(gateway, chatLine('one'));
    await backUpOf(good, gateway);
  });
  afterAll(async () => {
    await gateway?.stop();
    folder.remove();
  });

  test('the undamaged one is accepted, and other programs can read it', async () => {
    const { blobs, tables } = await verifyBackup(good);
    expect(blobs).toMatchObject({ count: 1, missing: 0 });
    expect(tables.length).toBeGreaterThan(30);
    const listed = execFileSync('tar', ['-tf', good], { encoding: 'utf8' }).trim().split('\n');
    const names: string[] = [];
    for await (const { name } of readTar(good)) names.push(name);
    expect(listed).toEqual(names);
  });

  test('is rejected wherever it ends', async () => {
    const { size } = statSync(good);
    for (const bytes of [
      0,
      100,
      512,
      700,
      Math.floor(size / 2),
      size - 1_500,
      size - 1_024,
      size - 512,
      size - 1,
    ]) {
      copyFileSync(good, bad);
      truncateSync(bad, bytes);
      await expect(verifyBackup(bad), `${bytes} bytes`).rejects.toThrow(
        /The backup is (not complete|damaged)/,
      );
    }
  });

  test('is rejected whichever byte was changed, and whatever was added', async () => {
    const content = readFileSync(good);
    let at = 0;
    for await (const { bytes } of readTar(good)) {
      // In the header of each part, and in the middle of its content.
      for (const place of [at + 20, at + 512 + Math.floor(bytes / 2)]) {
        const changed = Buffer.from(content);
        changed[place] = (changed[place] ?? 0) ^ 1;
        writeFileSync(bad, changed);
        await expect(verifyBackup(bad), `byte ${place}`).rejects.toThrow('The backup is damaged');
      }
      at += 512 + Math.ceil(bytes / 512) * 512;
    }
    writeFileSync(bad, Buffer.concat([content, Buffer.alloc(512)]));
    await expect(verifyBackup(bad)).rejects.toThrow('something follows its end');
  });

  test('is rejected without one of its parts, though each part is sound', async () => {
    const names: string[] = [];
    for await (const { name } of readTar(good)) names.push(name);
    for (const left of names) {
      const file = join(folder.path, `${names.indexOf(left)}.tar`);
      const tar = await TarWriter.create(file, new AbortController().signal);
      for await (const entry of readTar(good))
        if (entry.name !== left) await tar.addPieces(entry, entry.pieces());
      await tar.commit();
      await expect(verifyBackup(file), left).rejects.toThrow('The backup is damaged');
    }
  });

  test('an installation with data is never overwritten', async () => {
    const restored = await restoreTo(quickEngine, good, gateway);
    const held = await withDatabase(restored, allRows);
    const again = restoreBackup(good, () => openRestoreTarget(settingsOf(restored), systemClock));
    await expect(again).rejects.toThrow('The database is not empty.');
    expect(await withDatabase(restored, allRows)).toEqual(held);
    await restored.place.remove();
  });

  test('one of a newer schema is rejected, naming the version that wrote it', async () => {
    const manifest = await verifyBackup(good);
    const newer = join(folder.path, 'newer.tar');
    const tar = await TarWriter.create(newer, new AbortController().signal);
    for await (const entry of readTar(good))
      if (!entry.name.startsWith('manifest')) await tar.addPieces(entry, entry.pieces());
    const { text, digest } = writeManifest({ ...manifest, schema: 9_999, tollgate: '99.0.0' });
    await tar.add('manifest.json', Buffer.from(text));
    await tar.add('manifest.sha256', Buffer.from(digest));
    await tar.commit();
    await expect(restoreTo(quickEngine, newer, gateway)).rejects.toThrow(
      /schema version 9999.*tollgate 99\.0\.0/s,
    );
  });

  test('the commands report what they wrote and restored, and what is wrong in one sentence', async () => {
    const env = gateway.databaseUrl === null ? {} : { DATABASE_URL: gateway.databaseUrl };
    const at = ['--config', gateway.configFile, '--data', gateway.folder];
    const taken = await runCli(['backup', good, ...at], { env });
    expect(taken).toMatchObject({
      code: 1,
      stderr: `tollgate: ${good} exists already. Name a new file, or a folder.\n`,
    });
    const written = await runCli(['backup', folder.path, '--json', ...at], { env });
    const report = JSON.parse(written.stdout) as { file: string; blobs: number };
    expect(report).toMatchObject({ blobs: 1, missing_blobs: 0 });
    const rejected = await runCli(['restore', report.file, ...at], { env });
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toMatch(/is not empty|is in use by another tollgate process/);
    const place = await makePlace(quickEngine, { empty: true });
    const target = ['--config', gateway.configFile, '--data', place.folder];
    const restored = await runCli(['restore', folder.path, '--json', ...target], {
      env: place.databaseUrl === null ? {} : { DATABASE_URL: place.databaseUrl },
    });
    expect(restored.stderr).toBe('');
    expect(JSON.parse(restored.stdout)).toMatchObject({
      file: report.file,
      blobs: 1,
      disagreements: 0,
      spaces: 1,
    });
    await place.remove();
  });
});
