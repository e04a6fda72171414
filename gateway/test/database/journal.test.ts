/** Calls go on while PostgreSQL does not answer (`metering.journal: local`), and each is charged once when it does again. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { parseUnits, sumUnits } from '../../src/kernel/units.ts';
import { EMPTY_MS } from '../../src/metering/purses/purse-book.ts';
import { WRITE_AHEAD_FOLDER } from '../../src/metering/recover-calls.ts';
import { imbalances, readLedger } from '../chaos/ledger.ts';
import { engines } from '../support/engines.ts';
import { type Answer, type FrozenStage, startFrozenStage } from '../support/frozen-stage.ts';
import { PATIENCE } from '../support/patience.ts';

const CALLERS = 8;
const ROUNDS = 4;
/** Far less than a deadline of the database. */
const QUICK_MS = 1_000;

describe.runIf(engines.includes('postgres'))('a gateway with a journal', () => {
  let stage: FrozenStage;

  /** By how much the gateway's time is ahead. */
  let aheadMs = 0;
  const clock: Clock = { ...systemClock, elapsedMs: () => systemClock.elapsedMs() + aheadMs };

  beforeAll(async () => {
    stage = await startFrozenStage({ metering: { journal: 'local' }, clock });
  });
  afterAll(async () => {
    await stage.stop();
  });

  /** The names of the files with calls, in the folders of all processes. */
  const segments = (): string[] =>
    readdirSync(join(stage.gateway.folder, WRITE_AHEAD_FOLDER), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.wal'),
    );

  /** Waits until everything is applied, and compares the books with what callers got. */
  async function expectCharged(answers: readonly Answer[]): Promise<void> {
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await expect.poll(() => stage.pendingCalls(), PATIENCE).toBe(0);
    await expect.poll(segments, PATIENCE).toEqual([]);
    const ids = answers.map(({ id }) => id);
    const rows = await stage.gateway.query<{ id: string; cost: string }>(
      sql`select id, cost from calls where id = any(${ids})`,
    );
    expect(rows.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(sumUnits(rows.map(({ cost }) => parseUnits(cost)))).toBe(
      sumUnits(answers.map(({ cost }) => parseUnits(cost ?? '0'))),
    );
    expect(imbalances(await readLedger(stage.gateway))).toEqual([]);
  }

  /** Calls of several callers, while something happens to the database after the first round. */
  async function callThrough(fault: () => void): Promise<Answer[]> {
    const callers = Array.from({ length: CALLERS }, async (_, caller) => {
      const answers: Answer[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        if (round === 1 && caller === 0) fault();
        answers.push(await stage.chat());
      }
      return answers;
    });
    return (await Promise.all(callers)).flat();
  }

  const outages = ['stopServer', 'freezeOpen'] as const;
  test.each(outages)('%s under load: every call is answered, and charged once afterwards', async (fault) => {
    await stage.warm();
    const answers = await callThrough(() => stage.proxy[fault]());
    stage.proxy.thaw();
    stage.proxy.startServer();
    await expectCharged([...answers, await stage.chat()]);
  });

  test('while nothing answers, calls are quick, unknown keys get 503, and what is not kept does not wait', async () => {
    const { key: unused } = await stage.makePoor('unused', '100');
    await stage.warm();
    stage.proxy.freezeAll();
    const first = await stage.chat();
    await expect.poll(() => stage.isKnownOutage(), PATIENCE).toBe(true);
    const quick = [];
    for (let i = 0; i < CALLERS; i++) quick.push(await stage.chat());
    expect(Math.max(...quick.map(({ tookMs }) => tookMs))).toBeLessThan(QUICK_MS);
    const unknown = await stage.chat(unused);
    expect(unknown).toMatchObject({ status: 503, retryAfter: expect.anything() });
    expect(unknown.tookMs).toBeLessThan(QUICK_MS);
    const kept = await stage.respond();
    expect(kept.status).toBe(200);
    expect(kept.tookMs).toBeLessThan(QUICK_MS);
    expect(await stage.pendingCalls()).toBe(quick.length + 2);
    stage.proxy.thaw();
    await expectCharged([first, ...quick, kept]);
    await expect.poll(async () => (await stage.chat(unused)).status, PATIENCE).toBe(200);
  });

  test('a space without overage spends no more than it holds, also while its calls are not in the database', async () => {
    const { spaceId, key } = await stage.makePoor('short', '0.6');
    const answers = [await stage.image(key)];
    stage.proxy.stopServer();
    while (answers.at(-1)?.status === 200) answers.push(await stage.image(key));
    stage.proxy.startServer();
    await expect.poll(() => stage.pendingCalls(), PATIENCE).toBe(0);
    // So that the database is asked, and not only what was known a moment ago.
    aheadMs += EMPTY_MS + 1;
    expect([answers.at(-1)?.status, (await stage.image(key)).status]).toEqual([402, 402]);
    const costs = answers.flatMap(({ cost }) => (cost === null ? [] : [parseUnits(cost)]));
    expect(costs.length).toBeGreaterThan(2);
    // Calls are admitted while less than 0.6 is spent.
    expect(sumUnits(costs.slice(1))).toBeLessThan(parseUnits('0.6'));
    const [books] = await stage.gateway.query<{ spent: string }>(
      sql`select sum(cost) as spent from calls where space_id = ${spaceId}`,
    );
    expect(parseUnits(books?.spent ?? '0')).toBe(sumUnits(costs));
    expect(imbalances(await readLedger(stage.gateway))).toEqual([]);
  });

  test('a commit that hangs delays no other call for long, and its calls are charged once', async () => {
    await stage.chat();
    const held = await stage.lockWriter();
    const answers = [];
    for (let i = 0; i < CALLERS; i++) answers.push(await stage.chat());
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    // The call whose commit hung is on the disk, and others are committed although it still hangs. How many depends on the load.
    const pending = await stage.pendingCalls();
    expect(pending).toBeGreaterThan(0);
    expect(pending).toBeLessThan(CALLERS);
    await held.release();
    await expectCharged(answers);
  });
});
