/** `tollgate backup` and `tollgate restore`: the same installation elsewhere, whatever ran meanwhile. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { verifyBooks } from '../../src/reports/verify-books.store.ts';
import { allRows, backUpOf, makeFolder, restoreTo, serveAt, withDatabase } from '../support/backup-stage.ts';
import { changeConfig } from '../support/config.ts';
import { type Engine, engines, quickEngine } from '../support/engines.ts';
import { chatLine, filesConfig, getFile, kept, uploaded } from '../support/files-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { referenced } from '../support/media-stage.ts';
import { PATIENCE } from '../support/patience.ts';
import { settleAll } from '../support/settle-all.ts';

const chat = { model: 'sim-chat', messages: [{ role: 'user', content: 'Reply with exactly: yes' }] };
/** Paced, so that callers leave the processor to the backup. */
const paced = {
  ...chat,
  stream: true,
  messages: [{ role: 'user', content: '[[pace 20]] Reply with exactly: yes' }],
};
/** A row that every column type has to survive: line breaks, quotes, other scripts, no text at all. */
const ODD = 'line\nbreak\t"quoted" \\ 한국어 🚀 {}[],';

describe.each(engines)('a backup of a gateway on %s', (engine) => {
  const other: Engine = engines.find((one) => one !== engine) ?? engine;
  const folder = makeFolder();
  const quiet = join(folder.path, 'quiet.tar');
  let gateway: TestGateway;
  let fileId: string;
  let text: string;
  let referenceId: string;

  beforeAll(async () => {
    gateway = await startGateway({
      engine,
      config: changeConfig(filesConfig, { api: { file_lists: true } }),
    });
    await gateway.admin('grants.add', { amount: '5', kind: 'promo' });
    await gateway.query(sql`
      insert into refusals (id, at, endpoint, code, status, detail, facts)
      values ('odd', now(), '', 'odd', 400, ${ODD}, '{\n "a":  1.0,\n\n"b": null }')`);
    text = chatLine('one') + chatLine('two', { user: ODD });
    fileId = (await uploaded(gateway, text)).id;
    referenceId = (await referenced(gateway)).file_id;
    expect((await gateway.chat(chat)).status).toBe(200);
    expect((await gateway.chat({ ...chat, model: 'nothing' })).status).toBe(404);
  });
  afterAll(async () => {
    await gateway?.stop();
    folder.remove();
  });

  test('that is written while calls run fails none of them, and has all of a moment', async () => {
    const statuses: number[] = [];
    let running = true;
    const callers = Array.from({ length: 4 }, async () => {
      while (running) {
        const reply = await gateway.chat(paced);
        expect(await reply.text()).toContain('[DONE]');
        statuses.push(reply.status);
      }
    });
    await vi.waitFor(() => expect(statuses.length).toBeGreaterThan(20), PATIENCE);
    const before = statuses.length;
    const { file, missing_blobs } = await backUpOf(folder.path, gateway);
    running = false;
    await Promise.all(callers);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(missing_blobs).toBe(0);
    const restored = await restoreTo(quickEngine, file, gateway);
    expect(restored.report).toMatchObject({ disagreements: 0, missing_blobs: 0, spaces: 1, migrated: [] });
    const [counted] = await withDatabase(restored, (db) =>
      db.query<{ calls: number }>(sql`select count(*) as calls from calls`),
    );
    // What was answered before the backup began is in it.
    expect(counted?.calls).toBeGreaterThan(before);
    expect(counted?.calls).toBeLessThanOrEqual(statuses.length + 1);
    await restored.place.remove();
  });

  test(`moves it to ${other} and back: every row is the same, keys work, files download, new rows follow`, async () => {
    await settleAll(gateway);
    const { file, rows, blobs } = await backUpOf(quiet, gateway);
    expect(blobs).toBe(2);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const restored = await restoreTo(other, file, gateway);
    expect(restored.report).toMatchObject({ rows, blobs: 2, disagreements: 0 });
    const again = await backUpOf(join(folder.path, 'again.tar'), restored);
    expect(again).toMatchObject({ rows, blobs: 2 });
    // On PostgreSQL the gateway can be read beside its server.
    const origin = gateway.databaseUrl === null ? await restoreTo(engine, again.file, gateway) : null;
    const [first, second] = [
      await withDatabase(origin ?? gateway, allRows),
      await withDatabase(restored, allRows),
    ];
    // The server still renews its lease there.
    expect({ ...second, processes: null }).toEqual({ ...first, processes: null });
    expect(Object.keys(first)).toHaveLength(restored.report.tables);
    expect(first.refusals?.join()).toContain(JSON.stringify(ODD));
    const { url, server } = await serveAt(restored);
    expect(await (await getFile({ ...gateway, url }, `${fileId}/content`)).text()).toBe(text);
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(chat),
    });
    expect(answer.status).toBe(200);
    await server.stop();
    const books = await withDatabase(restored, verifyBooks);
    expect(books.disagreements).toEqual([]);
    const [before] = (await gateway.admin('ledger.verify')).spaces;
    // The charge, and its payment if there was time for it.
    expect(books.spaces).toMatchObject([{ given: before?.given }]);
    expect([1, 2]).toContain((books.spaces[0]?.entries ?? 0) - (before?.entries ?? 0));
    for (const place of [restored.place, origin?.place]) await place?.remove();
  });

  test('leaves nothing behind but its file', async () => {
    expect(readdirSync(folder.path).filter((name) => !name.endsWith('.tar'))).toEqual([]);
    expect(await gateway.query(sql`select id from blob_holds`)).toEqual([]);
    if (engine === 'embedded') expect(readdirSync(join(gateway.folder, 'snapshots'))).toEqual([]);
  });

  test('that is interrupted leaves nothing behind', async () => {
    const aborted = AbortSignal.abort();
    const backup = backUpOf(join(folder.path, 'cut.tar'), gateway, aborted);
    await expect(backup).rejects.toThrow('The backup was interrupted.');
    expect(readdirSync(folder.path).filter((name) => name.includes('cut'))).toEqual([]);
    expect(await gateway.query(sql`select id from blob_holds`)).toEqual([]);
  });

  test('while blobs are held no file is deleted, and afterwards it is', async () => {
    await gateway.query(sql`insert into blob_holds (id, until) values ('test', now() + interval '1 hour')`);
    const { id } = await uploaded(gateway, chatLine('three'));
    expect((await getFile(gateway, id, gateway.key, 'DELETE')).status).toBe(200);
    await gateway.query(
      sql`update reference_files set expires_at = now() - interval '1 hour' where id = ${referenceId}`,
    );
    await gateway.sweepFiles();
    expect(await kept(gateway)).toMatchObject({ blobs: 2, pending: 1 });
    expect(await gateway.query(sql`select id from reference_files`)).toHaveLength(1);
    await gateway.query(sql`delete from blob_holds`);
    await gateway.sweepFiles();
    expect(await kept(gateway)).toMatchObject({ blobs: 1, pending: 0 });
    expect(await gateway.query(sql`select id from reference_files`)).toEqual([]);
  });
});
