/** How many calls a journal takes, and for how long. */
import { describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { imbalances, readLedger } from '../chaos/ledger.ts';
import { engines } from '../support/engines.ts';
import { type Answer, startFrozenStage } from '../support/frozen-stage.ts';
import { PATIENCE } from '../support/patience.ts';

describe.runIf(engines.includes('postgres'))('the bounds of a journal', () => {
  test.each([
    ['calls', { journal_calls_max: 3 }],
    ['age', { journal_age_max_ms: 1_000 }],
  ])(
    'beyond its %s, calls are rejected before the provider is asked, and nothing is lost',
    async (_, bound) => {
      const stage = await startFrozenStage({ metering: { journal: 'local', ...bound } });
      try {
        await stage.warm();
        stage.proxy.stopServer();
        const answers: Answer[] = [];
        await vi.waitFor(async () => {
          const answer = await stage.chat();
          answers.push(answer);
          expect(answer.status).toBe(503);
        }, PATIENCE);
        const full = answers.slice(0, -1);
        expect(full.length).toBeGreaterThanOrEqual(1);
        expect(answers.at(-1)?.retryAfter).not.toBeNull();
        if ('journal_calls_max' in bound) expect(full.length).toBe(bound.journal_calls_max);
        const asked = stage.gateway.simulator.calls.length;
        expect((await stage.chat()).status).toBe(503);
        expect(stage.gateway.simulator.calls.length).toBe(asked);
        stage.proxy.startServer();
        await expect.poll(async () => (await stage.chat()).status, PATIENCE).toBe(200);
        await expect.poll(() => stage.pendingCalls(), PATIENCE).toBe(0);
        const rows = await stage.gateway.query<{ id: string }>(sql`select id from calls`);
        expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(full.map(({ id }) => id)));
        expect(imbalances(await readLedger(stage.gateway))).toEqual([]);
      } finally {
        await stage.stop();
      }
    },
  );

  test('a commit that hangs for longer than the age stops no other call', async () => {
    const stage = await startFrozenStage({ metering: { journal: 'local', journal_age_max_ms: 1_000 } });
    try {
      await stage.chat();
      const held = await stage.lockWriter();
      const answers = [await stage.chat()];
      expect(await stage.pendingCalls()).toBe(1);
      const sinceMs = Date.now();
      while (Date.now() - sinceMs < 2_000) answers.push(await stage.chat());
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      await held.release();
      await expect.poll(() => stage.pendingCalls(), PATIENCE).toBe(0);
      const rows = await stage.gateway.query<{ id: string }>(sql`select id from calls`);
      expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(answers.map(({ id }) => id)));
      expect(imbalances(await readLedger(stage.gateway))).toEqual([]);
    } finally {
      await stage.stop();
    }
  });
});
