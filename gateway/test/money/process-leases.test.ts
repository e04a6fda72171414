/** Whether a process is alive is decided by the clock of the database, which all processes share. */
import { describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { HOUR_MS } from '../../src/kernel/durations.ts';
import { LeftRows } from '../../src/metering/left-rows.ts';
import { OwnProcess } from '../../src/processes/own-process.ts';
import { engines } from '../support/engines.ts';
import { useDatabase } from '../support/list-stage.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

/** On the embedded engine a process that starts is the only one. */
describe.skipIf(!engines.includes('postgres'))('leases of processes', () => {
  const stage = useDatabase('postgres');

  async function started(byMs: number) {
    const clock = shiftedClock();
    clock.shift(byMs);
    const db: Database = stage.db;
    const own = new OwnProcess({ db, clock, version: '0', roles: '', journal: false });
    await own.start();
    return { own, rows: new LeftRows({ db, clock }) };
  }

  test.each([HOUR_MS, -HOUR_MS])(
    'a process whose clock is wrong by %d ms takes nobody for dead, and is taken for dead by nobody',
    async (byMs) => {
      const right = await started(0);
      const wrong = await started(byMs);
      const ids = [right.own.id, wrong.own.id];
      for (const { own, rows } of [wrong, right]) {
        await rows.runOnce();
        await own.runOnce();
        expect(own.alive()).toBe(2);
      }
      expect([right.own.id, wrong.own.id]).toEqual(ids);
      await right.own.stop();
      await wrong.own.stop();
    },
  );

  test('a process that did not renew its lease has ended for the others, and registers again', async () => {
    const [one, other] = [await started(0), await started(0)];
    const { id } = one.own;
    await stage.db.query(sql`update processes set lease_until = now() where id = ${id}`);
    await other.rows.runOnce();
    await one.own.runOnce();
    expect(one.own.id).not.toBe(id);
    expect(one.own.isLeased).toBe(true);
    await one.own.stop();
    await other.own.stop();
  });
});
