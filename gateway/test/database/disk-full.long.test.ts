/** A disk without space is a database that is away: nothing is lost, nothing is free, and it comes back by itself. */

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { startSimulator } from '../../simulator/simulator.ts';
import { type Database, DatabaseUnavailable } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { verifyBooks } from '../../src/reports/verify-books.store.ts';
import { pointAt, testConfig } from '../support/config.ts';
import { engines, makePlace } from '../support/engines.ts';
import { administerAt } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { PATIENCE } from '../support/patience.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

const disk = mountSmallDisk(110);
afterAll(() => disk?.remove());

describe.each(engines)('a server that is out of space on %s', (engine) => {
  test('counts as away, whatever statement meets it', async () => {
    const place = await makePlace(engine);
    const db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
    const full = `do $$ begin raise exception 'no space left' using errcode = '53100'; end $$`;
    await expect(db.query({ text: full, values: [] })).rejects.toBeInstanceOf(DatabaseUnavailable);
    await expect(db.transaction((tx) => tx.script(full))).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect(await db.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await db.close();
    await place.remove();
  });
});

describe.skipIf(disk === null)('the embedded engine on a full disk (needs mount)', () => {
  const small = disk as NonNullable<typeof disk>;

  async function fillTheLog(db: Database): Promise<unknown> {
    try {
      for (;;) await db.query(sql`select pg_logical_emit_message(false, 'x', repeat('a', 200000))`);
    } catch (error) {
      return error;
    }
  }

  test('an engine that cannot write its log is opened again when there is space, with all that was committed', async () => {
    const folder = join(small.folder, 'engine');
    cpSync(inject('embeddedTemplate'), folder, { recursive: true });
    const lost: Error[] = [];
    const db = await openDatabase({
      url: null,
      folder,
      clock: systemClock,
      onLost: (error) => lost.push(error),
    });
    const heard: string[] = [];
    await db.listen('news', (payload) => heard.push(payload));
    await db.query(sql`create table kept (n integer)`);
    small.fill();
    expect(await fillTheLog(db)).toBeInstanceOf(DatabaseUnavailable);
    expect(lost).toHaveLength(1);
    // Also what is not about the disk at all.
    await expect(db.query(sql`select 1`)).rejects.toBeInstanceOf(DatabaseUnavailable);
    small.free();
    await expect
      .poll(() => db.query(sql`select count(*) as n from kept`).catch(() => null), PATIENCE)
      .toEqual([{ n: 0 }]);
    expect(heard).toEqual(['']);
    await db.query(sql`insert into kept values (1)`);
    await db.query(sql`notify news, 'again'`);
    await expect.poll(() => heard, PATIENCE).toEqual(['', 'again']);
    await db.close();
  });

  test('calls are refused and not given away, uploads answer 503, and every answer of the provider is charged later', async () => {
    const folder = join(small.folder, 'gateway');
    mkdirSync(folder);
    cpSync(inject('embeddedTemplate'), folder, { recursive: true });
    const simulator = await startSimulator({ apiKey: 'simulator-key' });
    const configFile = join(folder, 'tollgate.yaml');
    writeFileSync(configFile, pointAt(testConfig(), { simulator }));
    const gateway = await startGatewayProcess({ folder, configFile, databaseUrl: null });
    const admin = administerAt(folder);
    await admin('spaces.create', { name: 'acme', overage: true });
    const { key } = await admin('keys.create', { name: 'k', kind: 'shared' });
    const authorization = `Bearer ${key}`;
    const call = async (): Promise<Response> =>
      await fetch(`${gateway.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'sim-chat', input: `Reply with exactly: ${'word '.repeat(2_000)}` }),
      });
    const upload = async (): Promise<Response> => {
      const form = new FormData();
      form.set('purpose', 'batch');
      form.set('file', new Blob(['{}\n']), 'a.jsonl');
      return await fetch(`${gateway.url}/v1/files`, {
        method: 'POST',
        headers: { authorization },
        body: form,
      });
    };
    expect((await call()).status).toBe(200);
    small.fill();
    // Those that were let in wait for their commit; from some moment on nobody is let in.
    const waiting: Array<Promise<Response>> = [];
    const refused = Promise.withResolvers<Response>();
    const stop = systemClock.every(20, () => {
      const asked = call();
      waiting.push(asked);
      asked.then((reply) => reply.status === 503 && refused.resolve(reply), refused.reject);
    });
    const reply = await refused.promise;
    stop();
    expect(reply.headers.get('retry-after')).not.toBeNull();
    expect((await upload()).status).toBe(503);
    expect((await call()).status).toBe(503);
    small.free();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    for (const status of statuses) expect([200, 503]).toContain(status);
    await expect.poll(async () => (await call()).status, PATIENCE).toBe(200);
    expect(gateway.alive).toBe(true);
    expect(await gateway.stop()).toBe(0);
    const db = await openDatabase({ url: null, folder, clock: systemClock });
    const [row] = await db.query<{ calls: number }>(sql`select count(*) as calls from calls`);
    expect(row?.calls).toBe(simulator.calls.filter(({ finished }) => finished).length);
    expect((await verifyBooks(db)).disagreements).toEqual([]);
    await db.close();
    await simulator.stop();
  });
});
