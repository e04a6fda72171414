/**
 * A monthly limit over two processes: by how much it can be exceeded, and how soon the other process enforces
 * it. The bound is the one in docs/money.md.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../../src/kernel/units.ts';
import { pointAt, testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';

const CALLERS = 200;
const PROCESSES = 2;
/** The limit, in calls: enough for several refreshes, so that processes see each other's spending. */
const LIMIT_CALLS = 1_000n;
/** A refresh every second, plus its duration on a machine that is busy with this test. */
const KNOWN_AFTER_MS = 3_000;

interface Answered {
  readonly process: number;
  readonly startedMs: number;
  readonly endedMs: number;
}

describe.skipIf(!engines.includes('postgres'))('a monthly limit over two processes', () => {
  let gateway: TestGateway;
  let folder: string;
  const processes: GatewayProcess[] = [];

  beforeAll(async () => {
    gateway = await startGateway({ engine: 'postgres' });
    folder = mkdtempSync(join(tmpdir(), 'tollgate-test-limits-'));
    for (let i = 0; i < PROCESSES; i++) {
      const own = join(folder, String(i));
      const configFile = join(own, 'tollgate.yaml');
      mkdirSync(own);
      writeFileSync(configFile, pointAt(testConfig(), gateway));
      const { databaseUrl } = gateway;
      processes.push(await startGatewayProcess({ folder: own, configFile, databaseUrl }));
    }
  });
  afterAll(async () => {
    await Promise.all(processes.map((one) => one.stop()));
    rmSync(folder, { recursive: true, force: true });
    await gateway.stop();
  });

  async function make(name: string): Promise<string> {
    return (await gateway.admin('keys.create', { name, kind: 'shared' })).key;
  }

  function call(process: number, key: string, model = 'sim-chat'): Promise<Response> {
    return fetch(`${processes[process]?.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
    });
  }

  async function costOf(reply: Response): Promise<Units> {
    expect(reply.status).toBe(200);
    return parseUnits(((await reply.json()) as { estimated_cost: { amount: string } }).estimated_cost.amount);
  }

  async function spentBy(name: string): Promise<Units> {
    const [row] = await gateway.query<{ cost: string }>(sql`
      select coalesce(sum(t.cost), 0) as cost from keys k left join month_totals t on t.key_id = k.id
      where k.name = ${name}`);
    return parseUnits(row?.cost ?? '0');
  }

  test('that is reached in one process is enforced by the other within about a second', async () => {
    const key = await make('short');
    const each = await costOf(await call(0, key));
    await gateway.admin('keys.limit', { name: 'short', month_limit: printUnits((each * 3n) as Units) });
    while ((await call(0, key)).status === 200);
    const reachedMs = performance.now();
    // An unpriced call spends nothing, so the other process can learn of the spending only from the first.
    const asked = async (): Promise<number> => (await call(1, key, 'unpriced')).status;
    let status = await asked();
    while (status === 200 && performance.now() - reachedMs < KNOWN_AFTER_MS) status = await asked();
    expect(status).toBe(429);
  });

  test('is exceeded by 200 concurrent callers by no more than the documented bound', async () => {
    const key = await make('crowded');
    const each = await costOf(await call(0, key));
    const limit = (each * LIMIT_CALLS) as Units;
    await gateway.admin('keys.limit', { name: 'crowded', month_limit: printUnits(limit) });
    const answered: Answered[] = [];
    let underWay = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: CALLERS }, async (_, caller) => {
        const process = caller % PROCESSES;
        for (;;) {
          most = Math.max(most, ++underWay);
          const startedMs = systemClock.now();
          const reply = await call(process, key);
          await reply.arrayBuffer();
          underWay--;
          if (reply.status !== 200) {
            expect(reply.status).toBe(429);
            return;
          }
          answered.push({ process, startedMs, endedMs: systemClock.now() });
        }
      }),
    );
    const spent = await spentBy('crowded');
    // Every reply is charged, and nothing else.
    expect(spent).toBe((each * BigInt(answered.length + 1)) as Units);
    expect(spent).toBeGreaterThanOrEqual(limit);
    expect(most).toBe(CALLERS);

    // A process admits a call only while its own charges plus the charges of the others at the last refresh are
    // below the limit. The bound follows from that.
    const chargedBy = (of: (process: number) => boolean, untilMs: number): bigint =>
      each * BigInt(answered.filter((one) => of(one.process) && one.endedMs < untilMs).length);
    for (const { process, startedMs } of answered) {
      const own = chargedBy((other) => other === process, startedMs);
      const others = chargedBy((other) => other !== process, startedMs - KNOWN_AFTER_MS);
      expect(own + others).toBeLessThan(limit);
    }
    const last = answered.reduce((one, other) => (one.startedMs > other.startedMs ? one : other));
    const others = (untilMs: number): bigint => chargedBy((process) => process !== last.process, untilMs);
    const unseen = others(last.startedMs) - others(last.startedMs - KNOWN_AFTER_MS);
    const bound = each * BigInt(most) + unseen;
    expect(spent - limit).toBeLessThan(bound);
    expect(spent - limit).toBeLessThan(each * BigInt(most) + limit * BigInt(PROCESSES - 1));
    process.stderr.write(
      `a limit of ${LIMIT_CALLS} calls over ${PROCESSES} processes and ${CALLERS} callers: ` +
        `${(spent - limit) / each} calls too many, below ${bound / each}\n`,
    );
    // From now on no process admits a call.
    for (const [index] of processes.entries()) expect((await call(index, key)).status).toBe(429);
  });
});
