/** The console of an installation that states what units are worth: both beside each other, and nothing otherwise. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { monthOf, systemClock } from '../../src/kernel/time.ts';
import { hasBrowser } from '../support/browser-pages.ts';
import { chargeCalls } from '../support/charged-calls.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import { addPeople, OPS } from '../support/console-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const MONTH = monthOf(systemClock.now());
const STATEMENT = `/statement?month=${MONTH}`;
/** With what each page shows when it is complete. */
const pages = [
  ['/home', 'promo 0 · paid'],
  ['/balance', 'Estimate at month end'],
  ['/usage', 'Requests'],
  [STATEMENT, 'Agreement'],
] as const;

describe.skipIf(!hasBrowser).each([true, false])('the console, with what units are worth: %s', (isStated) => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    const money = { currency: 'EUR', per_unit: '1000.5' };
    gateway = await startGateway({
      config: isStated ? changeConfig(testConfig(), { money }) : testConfig(),
    });
    await addPeople(gateway);
    const at = systemClock.now();
    const call = { key: 'test', cost: '2.0025', id: newId('req', at), startedAt: at };
    await chargeCalls(gateway, [{ ...call, at: new Date(at).toISOString() }], at);
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  async function textOf([path, complete]: (typeof pages)[number]): Promise<string> {
    const opened = await browser.open(`/spaces/acme${path}`, { email: OPS });
    await opened.page.locator('main').getByText(complete).first().waitFor();
    const text = await opened.page.locator('main').innerText();
    expect(opened.troubles).toEqual([]);
    return text;
  }

  test.runIf(isStated)('shows both for the balance, usage and the statement', async () => {
    // 2.0025 × 1000.5 = 2003.50125; 997.9975 × 1000.5 = 998496.49875.
    const texts: string[] = [];
    for (const page of pages) texts.push(await textOf(page));
    const [home = '', balance = '', usage = '', statement = ''] = texts;
    for (const text of [home, usage]) expect(text).toMatch(/2\.0025\n+2,003\.50 EUR/);
    for (const text of [home, balance]) expect(text).toMatch(/997\.9975\n+998,496\.50 EUR/);
    expect(statement).toContain('One unit is worth 1000.5 EUR, as at the start of the month.');
    expect(statement).toMatch(/997\.9975\t0\t998,496\.50/);
    expect(statement.match(/2\.0025\t2,003\.50/g)?.length).toBe(4);
  });

  test.runIf(isStated).each(looks)('its statement is sound at $width px, $theme, $language', async (look) => {
    const opened = await browser.open(`/spaces/acme${STATEMENT}`, { email: OPS, ...look });
    await opened.page.locator('main table').nth(2).waitFor();
    await expectSound(opened);
  });

  test.runIf(!isStated)('shows no currency anywhere', async () => {
    for (const page of pages) expect(await textOf(page)).not.toMatch(/EUR|worth/);
  });
});
