/**
 * Rounds of trouble on the way to PostgreSQL under load: the books hold after each, limits and blocks hold within
 * their bound, and calls are answered again. One round of each kind; `npm run test:chaos` runs many.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { pause, systemClock } from '../../src/kernel/time.ts';
import { parseUnits } from '../../src/kernel/units.ts';
import { imbalances, readLedger } from '../chaos/ledger.ts';
import { engines } from '../support/engines.ts';
import { type Answer, type FrozenStage, startFrozenStage } from '../support/frozen-stage.ts';
import { PATIENCE } from '../support/patience.ts';

const ROUNDS = Number(process.env.TOLLGATE_FREEZES ?? 2);
const CALLERS = 6;
/** A reply waits this long for its commit; see docs/money.md. */
const ANSWERED_MS_MAX = 30_000;
const SLACK_MS = 10_000;

type Trouble = (stage: FrozenStage) => Promise<void> | void;

const troubles: Readonly<Record<string, Trouble>> = {
  'open connections freeze': ({ proxy }) => proxy.freezeOpen(),
  'connections are reset': ({ proxy }) => proxy.reset(),
  'connections are half closed': ({ proxy }) => proxy.halfClose(),
  'all connections freeze for a second': async ({ proxy }) => {
    proxy.freezeAll();
    await pause(systemClock, 1_000);
    proxy.thaw();
  },
  'answers take 300 ms longer for a second': async ({ proxy }) => {
    proxy.delay(150);
    await pause(systemClock, 1_000);
    proxy.delay(0);
  },
};

describe.runIf(engines.includes('postgres'))('rounds of trouble with the database', () => {
  let stage: FrozenStage;
  const answers: Answer[] = [];
  let stopped = false;
  let callers: Promise<void>[] = [];

  beforeAll(async () => {
    stage = await startFrozenStage();
    const calls = [stage.chat, stage.respond, stage.chatOnce] as const;
    callers = Array.from({ length: CALLERS }, async (_, caller) => {
      const call = calls[caller % calls.length] as () => Promise<Answer>;
      while (!stopped) {
        const answer = await call();
        answers.push(answer);
        if (answer.status !== 200) await pause(systemClock, 50);
      }
    });
  });
  afterAll(async () => {
    stopped = true;
    await Promise.all(callers);
    await stage.stop();
  });

  test(
    'calls are answered again, a block that was set meanwhile holds, and every full reply has its one charge',
    async () => {
      const recovered: Record<string, number[]> = {};
      const names = Object.keys(troubles);
      for (let round = 0; round < ROUNDS; round++) {
        const name = names[round % names.length] as string;
        const { spaceId, key } = await stage.makePoor(`round-${round}`, '100');
        expect((await stage.chat(key)).status).toBe(200);
        await stage.warm();
        const beganMs = systemClock.elapsedMs();
        const over = troubles[name]?.(stage);
        await stage.gateway.query(sql`update spaces set blocked_at = now() where id = ${spaceId}`);
        await over;
        await expect.poll(async () => (await stage.chat(key)).status, PATIENCE).toBe(402);
        await expect.poll(async () => (await stage.chat()).status, PATIENCE).toBe(200);
        recovered[name] = [...(recovered[name] ?? []), systemClock.elapsedMs() - beganMs];
      }
      stopped = true;
      await Promise.all(callers);
      expect(
        answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 503),
      ).toEqual([]);
      expect(Math.max(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(ANSWERED_MS_MAX + SLACK_MS);
      const ledger = await readLedger(stage.gateway);
      const charged = new Map(ledger.calls.map((call) => [call.id, call.cost]));
      const full = answers.filter(({ status }) => status === 200);
      for (const { id, cost } of full)
        expect(parseUnits(charged.get(id) ?? '0'), id).toBe(parseUnits(cost as string));
      expect(imbalances(ledger)).toEqual([]);
      for (const [name, times] of Object.entries(recovered)) process.stderr.write(`${print(name, times)}\n`);
      process.stderr.write(`${full.length} of ${answers.length} calls answered, each charged once\n`);
    },
    60_000 + ROUNDS * 20_000,
  );
});

function print(name: string, times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b).map(Math.round);
  const median = sorted[sorted.length >> 1];
  return `${name}: ${times.length} rounds, limits and calls right after ${median} ms (median), ${sorted.at(-1)} ms (longest)`;
}
