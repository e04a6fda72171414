/** What units are worth, in a running gateway: beside balance, usage and statement, and nowhere if it is not stated. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { newId } from '../../src/kernel/ids.ts';
import { monthOf, monthStart, nextMonth, previousMonth, systemClock } from '../../src/kernel/time.ts';
import { type AlertMessage, AlertReceiver, hurryAlerts } from '../support/alert-receiver.ts';
import { chargeCalls } from '../support/charged-calls.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { BACKGROUND_PATIENCE } from '../support/patience.ts';
import { readCsv } from '../support/read-csv.ts';
import { runCli } from '../support/run-cli.ts';
import { shiftedClock } from '../support/shifted-clock.ts';

// The tenth of the next month, so that days of the month before and of this one are certain.
const MONTH = nextMonth(monthOf(systemClock.now()));
const EARLIER = previousMonth(MONTH);
const NOW = monthStart(MONTH) + 9.5 * 86_400_000;
const money = {
  currency: 'EUR',
  rates: [
    { from: `${previousMonth(EARLIER)}-15`, per_unit: '0.5' },
    { from: `${EARLIER}-15`, per_unit: '0.92' },
    { from: `${MONTH}-10`, per_unit: '2' },
  ],
};
const config = changeConfig(testConfig(), { alerts: { allow_hosts: ['127.0.0.1'] } });
const eur = (amount: string, per_unit: string) => ({ currency: 'EUR', amount, per_unit });

describe.each(engines)('what units are worth on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const clock = shiftedClock();
    clock.shift(NOW - systemClock.now());
    gateway = await startGateway({ engine, clock, config: changeConfig(config, { money }) });
    const call = (cost: string, at: number) => ({
      ...{ key: 'test', cost, id: newId('req', at), startedAt: at, at: new Date(at).toISOString() },
    });
    const before = monthStart(MONTH) - 1;
    await chargeCalls(gateway, [call('3.005', before), call('0.005', before)], before);
    await chargeCalls(gateway, [call('1.25', NOW)], NOW);
  });
  afterAll(() => gateway.stop());

  const run = async (...args: string[]): Promise<string> => {
    const place = ['--data', gateway.folder, '--config', gateway.configFile];
    const env = gateway.databaseUrl === null ? {} : { DATABASE_URL: gateway.databaseUrl };
    const { code, stdout } = await runCli([...args, '--space', 'acme', ...place], { env });
    expect(code).toBe(0);
    return stdout;
  };

  test('a balance has the rate of today, a month that of its start', async () => {
    const { admin } = gateway;
    const { held, worth } = await admin('reports.balance');
    expect([held.total, worth]).toEqual(['995.74', eur('1991.48', '2')]);
    const usage = (month: string) => admin('reports.usage', { month, by: 'model' });
    expect((await usage(MONTH)).worth).toEqual(eur('1.15', '0.92'));
    expect((await usage(EARLIER)).worth).toEqual(eur('1.50', '0.5'));
    expect((await admin('spaces.overview', { space: 'acme' })).month.worth).toEqual(eur('1.15', '0.92'));
    expect(await run('balance')).toMatch(/held is worth +1991\.48 EUR\noverage is worth +0\.00 EUR/);
    expect(await run('usage', '--month', MONTH)).toContain('Total: 1.25 units (1.15 EUR).');
  });

  test('the statement of an old month keeps its rate, and converts sums, not rounded parts', async () => {
    const { admin } = gateway;
    const old = await admin('statements.get', { month: EARLIER });
    expect([old.charged, old.worth]).toEqual(['3.01', eur('1.50', '0.5')]);
    expect((await admin('statements.get', { month: MONTH })).worth).toEqual(eur('1.15', '0.92'));
    const [head = [], ...rows] = readCsv(await run('statement', '--month', EARLIER, '--csv'));
    expect(head.slice(-3)).toEqual(['worth', 'currency', 'per_unit']);
    const cells = rows.map((row) => [row[1], row[2], row[head.indexOf('amount')], ...row.slice(-3)]);
    expect(cells).toContainEqual(['model', 'sim-chat', '3.01', '1.50', 'EUR', '0.5']);
    expect(cells).toContainEqual(['balance', 'closing', '-3.01', '-1.50', 'EUR', '0.5']);
    const text = await run('statement', '--month', EARLIER);
    expect(text).toContain('Charged: 3.01 units (1.50 EUR).');
    expect(text).toContain('One unit: 0.5 EUR.');
    expect(text).toMatch(/AMOUNT +EUR\n/);
  });

  test('a month before the first rate has units only', async () => {
    const before = await gateway.admin('statements.get', { month: previousMonth(EARLIER) });
    expect(before.worth).toBeNull();
  });

  test('the public balance has the fields of its specification only', async () => {
    const { key } = await gateway.admin('keys.create', {
      space: 'acme',
      name: 'reports',
      kind: 'management',
    });
    const headers = { authorization: `Bearer ${key}` };
    const shown = await (await fetch(`${gateway.url}/v1/balance`, { headers })).json();
    expect(Object.keys(shown as object)).toEqual(['held', 'overage', 'blocked']);
  });

  test('an alert has both, and the log of deliveries only units', async () => {
    const receiver = await AlertReceiver.start();
    try {
      const target = { name: 'hook', type: 'webhook', address: `${receiver.url}/in` } as const;
      await gateway.admin('alerts.add', { space: 'acme', ...target });
      await gateway.admin('alerts.set', { space: 'acme', balance_units: '5000' });
      // Its signature is of a time that verifiers reject, because the clock is moved.
      const low = () =>
        receiver.received
          .map(({ body }) => JSON.parse(body) as AlertMessage)
          .filter(({ type }) => type === 'balance.low')
          .map(({ data }) => data);
      await vi.waitFor(async () => {
        await hurryAlerts(gateway);
        expect(low()).toEqual([
          { space: 'acme', left: '995.74', at_most: '5000', worth: eur('1991.48', '2') },
        ]);
      }, BACKGROUND_PATIENCE);
      const { data } = await gateway.admin('alerts.deliveries', { space: 'acme' });
      expect(JSON.stringify(data)).not.toContain('EUR');
    } finally {
      await receiver.stop();
    }
  });

  test('nothing is shown without the section, as soon as the file is reloaded', async () => {
    const file = readFileSync(gateway.configFile, 'utf8');
    const { money: _, ...rest } = parseYaml(file) as Record<string, unknown>;
    writeFileSync(gateway.configFile, JSON.stringify(rest));
    process.kill(process.pid, 'SIGHUP');
    await vi.waitFor(
      async () => expect((await gateway.admin('reports.balance')).worth).toBeNull(),
      BACKGROUND_PATIENCE,
    );
    expect((await gateway.admin('statements.get', { month: EARLIER })).worth).toBeNull();
    expect((await gateway.admin('reports.usage', { by: 'model' })).worth).toBeNull();
    const shown = [
      await run('balance'),
      await run('usage'),
      await run('statement', '--month', EARLIER),
      await run('statement', '--month', EARLIER, '--csv'),
    ].join('');
    expect(shown).not.toMatch(/EUR|worth|currency|per_unit/);
  });
});
