/**
 * Thresholds over processes that are killed: each happens once and arrives at least once. `npm run test:alerts`
 * kills 200 times.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { AlertReceiver, hurryAlerts } from '../support/alert-receiver.ts';
import { changeConfig, simulated, testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { GatewayProcesses } from '../support/gateway-processes.ts';
import { BACKGROUND_PATIENCE } from '../support/patience.ts';

const KILLS = Number(process.env.TOLLGATE_ALERT_KILLS ?? 2);
const PROCESSES = 2;
const TIMEOUT_MS = 180_000 + KILLS * 30_000;
const acme = { space: 'acme' };
const parts = {
  models: { 'one-unit': simulated('sim-chat') },
  prices: { 'one-unit': { input: 0, output: 0, request: '1' } },
};
const config = changeConfig(testConfig(parts), { alerts: { allow_hosts: ['127.0.0.1'] } });
const question = { model: 'one-unit', messages: [{ role: 'user', content: 'hello' }] };

describe.skipIf(!engines.includes('postgres'))('alerts over killed processes', () => {
  let gateway: TestGateway;
  let processes: GatewayProcesses;
  let receiver: AlertReceiver;

  beforeAll(async () => {
    [gateway, receiver] = await Promise.all([
      startGateway({ engine: 'postgres', config }),
      AlertReceiver.start(),
    ]);
    processes = await GatewayProcesses.start(gateway, config, PROCESSES);
  });
  afterAll(async () => {
    await processes.stop();
    await gateway.stop();
    await receiver.stop();
  });

  test(
    `${KILLS} kills: every threshold is one event, and arrives`,
    async () => {
      const target = { name: 'hook', type: 'webhook', address: receiver.url } as const;
      const events: ['limit.reached', 'budget.reached'] = ['limit.reached', 'budget.reached'];
      const budget = { name: 'each key', per: 'key', window: 'month', amount: '2' } as const;
      await gateway.admin('budgets.add', { ...acme, ...budget });
      const { secret } = await gateway.admin('alerts.add', { ...acme, ...target, events });
      const expected: string[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        const name = `key ${kill}`;
        const { key } = await gateway.admin('keys.create', {
          ...acme,
          name,
          kind: 'shared',
          month_limit: '2',
        });
        for (const whose of ['budget of ', ''])
          expected.push(...[100, 50, 80].map((percent) => `${whose}${name} ${percent}`));
        // Half of the limit in each process: no row of a process has the total.
        for (let place = 0; place < PROCESSES; place++) {
          const reply = await processes.chat(place, key, question);
          expect(reply.status).toBe(200);
          await reply.arrayBuffer();
        }
        // Everybody is woken, so that the one that dies is looking for events or sending them.
        await hurryAlerts(gateway);
        await processes.at(kill % PROCESSES).kill();
        await processes.restart(kill % PROCESSES);
      }
      await vi.waitFor(async () => {
        await hurryAlerts(gateway);
        const arrived = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
        expect(arrived.size).toBe(expected.length);
        const states = await gateway.query(sql`select distinct state from deliveries`);
        expect(states).toEqual([{ state: 'delivered' }]);
      }, BACKGROUND_PATIENCE);
      const rows = await gateway.query<{ name: string }>(sql`
      select coalesce(data->>'key', 'budget of ' || (data->>'value')) || ' ' || (data->>'percent') as name
      from events order by 1`);
      expect(rows.map(({ name }) => name)).toEqual(expected.toSorted());
      const messages = receiver.messages(secret ?? '');
      const named = new Set(
        messages.map(({ data }) => `${data.key ?? `budget of ${data.value}`} ${data.percent}`),
      );
      expect([...named].toSorted()).toEqual(expected.toSorted());
    },
    TIMEOUT_MS,
  );
});
