/**
 * Units and monthly limits over three processes: by how much they can be exceeded, that they can be used up whichever process
 * is called, and that a process that stops or is killed keeps nothing of them.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { pause, systemClock } from '../../src/kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../../src/kernel/units.ts';
import { simulated, testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { GatewayProcesses } from '../support/gateway-processes.ts';
import { BACKGROUND_PATIENCE, PATIENCE } from '../support/patience.ts';

const PROCESSES = 3;
const CALLERS = 200;
/** The limit of the crowd, in calls: enough for many slices. */
const LIMIT_CALLS = 1_000n;
/** After a refusal that asks to come again. */
const AGAIN_MS = 100;
/** A dead process is found after 15 s, and its slices within 5 s more. */
const FREE_AFTER_MS = 30_000;

const config = testConfig({
  models: {
    'one-unit': simulated('sim-chat'),
    capped: { ...simulated('sim-chat'), output_tokens_max: 100_000, context_tokens: 200_000 },
  },
  // A unit for a call, and nothing for its tokens; or 0.0001 units for a token of an answer.
  prices: { 'one-unit': { input: 0, output: 0, request: '1' }, capped: { input: 0, output: 100 } },
});
/** The answer takes so long that the other calls arrive meanwhile. */
const SLOW = '[[fault slow-first-byte]] [[delay 1500]] Reply with exactly: yes';
const ENDLESS = '[[fault slow-first-byte]] [[delay 600000]] Reply with exactly: yes';

describe.skipIf(!engines.includes('postgres'))('units and limits over three processes', () => {
  let gateway: TestGateway;
  let processes: GatewayProcesses;

  beforeAll(async () => {
    gateway = await startGateway({ engine: 'postgres', config });
    processes = await GatewayProcesses.start(gateway, config, PROCESSES);
  });
  afterEach(async () => {
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
  });
  afterAll(async () => {
    await processes.stop();
    await gateway.stop();
  });

  /** A space that may not use overage, and its key. */
  async function spaceWith(name: string, units: string, hard = false): Promise<string> {
    await gateway.admin('spaces.create', { name, overage: false });
    if (hard) await gateway.admin('spaces.hard_limits', { space: name, hard });
    await gateway.admin('grants.add', { space: name, amount: units, kind: 'paid' });
    return (await gateway.admin('keys.create', { space: name, name, kind: 'shared' })).key;
  }

  function call(place: number, key: string, prompt = 'Hi', model = 'one-unit'): Promise<Response> {
    return processes.chat(place, key, { model, messages: [{ role: 'user', content: prompt }] });
  }

  async function statusOf(calling: Promise<Response>): Promise<number> {
    const reply = await calling;
    await reply.arrayBuffer();
    return reply.status;
  }

  /** Sends a call once more if it is asked to: on a busy machine others may need longer to give back what they do not use. */
  async function statusOfTwo(send: () => Promise<Response>): Promise<number> {
    const reply = await send();
    await reply.arrayBuffer();
    return reply.headers.get('x-should-retry') === 'true' ? await statusOf(send()) : reply.status;
  }

  async function spentBy(space: string): Promise<number> {
    const [row] = await gateway.query<{ cost: string }>(sql`
      select coalesce(sum(t.cost), 0) as cost from spaces s left join month_totals t on t.space_id = s.id
      where s.name = ${space}`);
    return Number(row?.cost);
  }

  /** What a process has of a space and has not spent. */
  async function unusedBy(process: string, space: string): Promise<number> {
    const [row] = await gateway.query<{ unused: string }>(sql`
      select coalesce(sum(l.granted - purse_spent('space', s.id, s.id, '', l.process_id)), 0) as unused
      from slices l join spaces s on l.purse = 'space:' || s.id
      where l.process_id = ${process} and s.name = ${space}`);
    return Number(row?.unused);
  }

  test('of 200 calls of 1 unit at once on a space that holds 1 unit, at most 5 are answered', async () => {
    const key = await spaceWith('single', '1');
    const statuses = await Promise.all(
      Array.from({ length: 200 }, (_, i) => statusOf(call(i % PROCESSES, key, SLOW))),
    );
    const answered = statuses.filter((status) => status === 200).length;
    process.stderr.write(`200 calls at once on 1 unit over ${PROCESSES} processes: ${answered} answered\n`);
    expect(answered).toBeGreaterThanOrEqual(1);
    expect(answered).toBeLessThanOrEqual(5);
    expect(new Set(statuses)).toEqual(new Set([200, 402]));
    expect(await spentBy('single')).toBe(answered);
  });

  test.each([
    ['without hard limits, and at most one more in each process', false, PROCESSES],
    ['with hard limits, and none more', true, 0],
  ])(
    'calls one after the other, each in another process, are admitted to the last unit %s',
    async (_, hard, more) => {
      const space = `in-turn-${hard}`;
      const key = await spaceWith(space, '20', hard);
      const statuses: number[] = [];
      for (let i = 0; i < 20 + 2 * PROCESSES; i++)
        statuses.push(await statusOfTwo(() => call(i % PROCESSES, key)));
      expect(statuses.slice(0, 20)).toEqual(Array(20).fill(200));
      expect(statuses.slice(20).filter((status) => status === 200).length).toBeLessThanOrEqual(more);
      expect(statuses.slice(-PROCESSES)).toEqual(Array(PROCESSES).fill(402));
    },
  );

  test('calls that cost less than they may are admitted in any process while the rest suffices', async () => {
    const key = await spaceWith('less', '0.2', true);
    const body = {
      model: 'capped',
      max_completion_tokens: 100,
      messages: [{ role: 'user', content: '5 words' }],
    };
    let calls = 0;
    while ((await statusOfTwo(() => processes.chat(calls % PROCESSES, key, body))) === 200) calls++;
    const spent = await spentBy('less');
    process.stderr.write(`${calls} calls one after the other: ${spent} of 0.2 units spent\n`);
    expect(spent).toBeLessThanOrEqual(0.2);
    // A call may cost 0.01.
    expect(spent).toBeGreaterThan(0.19);
  });

  test('a process that stops leaves no slice that it did not use', async () => {
    const key = await spaceWith('stopped', '100', true);
    for (let place = 0; place < PROCESSES; place++) expect(await statusOf(call(place, key))).toBe(200);
    const id = await processes.idOf(2);
    expect(await unusedBy(id, 'stopped')).toBeGreaterThan(0);
    expect(await processes.at(2).stop()).toBe(0);
    expect(await unusedBy(id, 'stopped')).toBe(0);
    // The others use it at once.
    for (let i = 3; i < 100; i++) expect(await statusOfTwo(() => call(i % 2, key))).toBe(200);
    expect(await statusOf(call(0, key))).toBe(402);
    await processes.restart(2);
    expect(await statusOf(call(2, key))).toBe(402);
  });

  test('everything that a killed process had is usable by another within 30 s', async () => {
    const key = await spaceWith('killed', '40', true);
    expect(await statusOf(call(2, key))).toBe(200);
    let running = 0;
    const seen = gateway.simulator.waitFor(({ body }) => {
      if (JSON.stringify(body).includes('delay 600000')) running++;
      return running >= 5;
    });
    const lost = Promise.allSettled(Array.from({ length: 5 }, () => call(2, key, ENDLESS)));
    await seen;
    const id = await processes.idOf(2);
    expect(await unusedBy(id, 'killed')).toBeGreaterThanOrEqual(5);
    await processes.at(2).kill();
    const killedMs = performance.now();
    expect((await lost).every(({ status }) => status === 'rejected')).toBe(true);
    let answered = 1;
    await expect
      .poll(async () => {
        while ((await statusOf(call(answered % 2, key))) === 200) answered++;
        return answered;
      }, BACKGROUND_PATIENCE)
      .toBe(40);
    const freeMs = performance.now() - killedMs;
    process.stderr.write(`what a killed process had was usable after ${Math.round(freeMs)} ms\n`);
    expect(freeMs).toBeLessThan(FREE_AFTER_MS);
    expect(await spentBy('killed')).toBe(40);
    await expect.poll(() => unusedBy(id, 'killed'), BACKGROUND_PATIENCE).toBe(0);
    await processes.restart(2);
  });

  describe('a monthly limit', () => {
    async function make(name: string): Promise<string> {
      return (await gateway.admin('keys.create', { space: 'acme', name, kind: 'shared' })).key;
    }

    async function limitTo(name: string, limit: Units): Promise<void> {
      await gateway.admin('keys.limit', { space: 'acme', name, month_limit: printUnits(limit) });
    }

    async function costOf(reply: Response): Promise<Units> {
      expect(reply.status).toBe(200);
      return parseUnits(
        ((await reply.json()) as { estimated_cost: { amount: string } }).estimated_cost.amount,
      );
    }

    async function spentByKey(name: string): Promise<Units> {
      const [row] = await gateway.query<{ cost: string }>(sql`
        select coalesce(sum(t.cost), 0) as cost from keys k left join month_totals t on t.key_id = k.id
        where k.name = ${name}`);
      return parseUnits(row?.cost ?? '0');
    }

    test('that is reached in one process is enforced by the others at once', async () => {
      const key = await make('short');
      const each = await costOf(await call(0, key, 'Hi', 'sim-chat'));
      await limitTo('short', (each * 3n) as Units);
      await expect.poll(() => statusOf(call(0, key, 'Hi', 'sim-chat')), PATIENCE).toBe(429);
      // An unpriced call spends nothing, so the other process can learn of the spending only from the first.
      expect(await statusOf(call(1, key, 'Hi', 'unpriced'))).toBe(429);
      expect(await statusOf(call(2, key, 'Hi', 'sim-chat'))).toBe(429);
    });

    test('is exceeded by 200 concurrent callers by less than one call in each process, and used up', async () => {
      const key = await make('crowded');
      const each = await costOf(await call(0, key, 'Hi', 'sim-chat'));
      const limit = (each * LIMIT_CALLS) as Units;
      await limitTo('crowded', limit);
      let answered = 1;
      await Promise.all(
        Array.from({ length: CALLERS }, async (_, caller) => {
          for (;;) {
            const reply = await call(caller % PROCESSES, key, 'Hi', 'sim-chat');
            await reply.arrayBuffer();
            if (reply.status === 200) answered++;
            else {
              expect(reply.status).toBe(429);
              // What running calls hold is free again soon.
              if (reply.headers.get('x-should-retry') !== 'true') return;
              await pause(systemClock, AGAIN_MS);
            }
          }
        }),
      );
      const spent = await spentByKey('crowded');
      // Every reply is charged, and nothing else.
      expect(spent).toBe((each * BigInt(answered)) as Units);
      process.stderr.write(
        `a limit of ${LIMIT_CALLS} calls over ${PROCESSES} processes and ${CALLERS} callers: ` +
          `${(spent - limit) / each} calls too many\n`,
      );
      expect(spent).toBeGreaterThanOrEqual(limit);
      expect(spent - limit).toBeLessThan(each * BigInt(PROCESSES));
      // From now on no process admits a call.
      for (let place = 0; place < PROCESSES; place++)
        expect(await statusOf(call(place, key, 'Hi', 'sim-chat'))).toBe(429);
    });
  });
});
