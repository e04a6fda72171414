/** `tollgate archive`: the calls of a month leave the database only when they are safely in a file. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { DAY_MS } from '../../src/kernel/durations.ts';
import { monthOf } from '../../src/kernel/time.ts';
import { makeFolder } from '../support/backup-stage.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { runCli } from '../support/run-cli.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

describe.each(engines)('archiving a month on %s', (engine) => {
  const clock = shiftedClock();
  const month = monthOf(clock.now());
  const folder = makeFolder();
  const file = join(folder.path, `calls-${month}.jsonl.gz`);
  let gateway: TestGateway;
  let corrected: string;

  beforeAll(async () => {
    gateway = await startGateway({ engine, clock });
    const call = async (model: string): Promise<string> => {
      const reply = await gateway.chat({
        model,
        messages: [{ role: 'user', content: 'Reply with exactly: 예' }],
      });
      await reply.text();
      return reply.headers.get('x-request-id') as string;
    };
    for (const model of ['sim-chat', 'sim-chat', 'sim-chat-classic', 'unpriced']) await call(model);
    corrected = await call('sim-chat');
    await gateway.admin('ledger.correct', { call: corrected, amount: '0.5' });
  });
  afterAll(async () => {
    await gateway?.stop();
    folder.remove();
  });

  const count = async (): Promise<number> => (await gateway.query(sql`select id from calls`)).length;
  const reports = async (): Promise<object> => ({
    books: await gateway.admin('ledger.verify'),
    days: await gateway.admin('reports.usage', { month, by: 'day' }),
    focus: await gateway.admin('reports.focus', { month }),
  });

  test('a month that ended less than 31 days ago is rejected', async () => {
    const archived = gateway.admin('archive', { month, folder: folder.path, keep: false });
    await expect(archived).rejects.toThrow(`${month} cannot be archived yet`);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('the file has the calls and what they cost, and then they are removed; every report stays', async () => {
    clock.shift(100 * DAY_MS);
    const before = await reports();
    const kept = await gateway.admin('archive', { month, folder: join(folder.path, 'kept'), keep: true });
    expect(kept).toMatchObject({ calls: 3, removed: 0 });
    expect(await count()).toBe(5);
    const lines = execFileSync('gzip', ['-dc', kept.file], { encoding: 'utf8' }).trim().split('\n');
    const stored = await gateway.query<{ id: string; cost: string }>(sql`
      select id, trim_scale(cost)::text as cost from calls where cost is not null and id <> ${corrected} order by id`);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject(stored);

    const report = await gateway.admin('archive', { month, folder: folder.path, keep: false });
    expect(report).toMatchObject({ file, calls: 3, removed: 3, cost: kept.cost });
    expect(report.sha256).toBe(createHash('sha256').update(readFileSync(file)).digest('hex'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(`${file}.json`, 'utf8'))).toMatchObject({
      month,
      calls: 3,
      sha256: report.sha256,
    });
    expect(await count()).toBe(2);
    expect(await reports()).toEqual(before);
  });

  test('a month without calls that can be removed is rejected', async () => {
    const again = gateway.admin('archive', { month, folder: join(folder.path, 'again'), keep: false });
    await expect(again).rejects.toThrow(`There are no calls of ${month} to archive.`);
  });

  test('a file of the month is never replaced', async () => {
    const written = readFileSync(file);
    await gateway.query(sql`update calls set cost = 0 where cost is null`);
    const again = gateway.admin('archive', { month, folder: folder.path, keep: false });
    await expect(again).rejects.toThrow('exists already');
    expect(readFileSync(file)).toEqual(written);
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.partial'))).toEqual([]);
    expect(await count()).toBe(2);
  });

  test('the command says what is wrong in one sentence', async () => {
    const env = gateway.databaseUrl === null ? {} : { DATABASE_URL: gateway.databaseUrl };
    const run = (of: string, ...more: string[]) =>
      runCli(['archive', of, '--data', gateway.folder, '--config', gateway.configFile, ...more], { env });
    const past = await run('2020-01', '--to', join(folder.path, 'past'));
    expect(past).toMatchObject({ code: 1, stderr: 'tollgate: There are no calls of 2020-01 to archive.\n' });
    const wrong = await run('2020-13', '--to', folder.path);
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.stderr).toContain('month "2020-13" is not valid: it must be a month as YYYY-MM.');
  });
});
