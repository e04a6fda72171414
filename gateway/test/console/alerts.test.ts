/** The page of alerts in a real browser: adding a target, sending a test, thresholds, the log, and members. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AlertReceiver } from '../support/alert-receiver.ts';
import { hasBrowser } from '../support/browser-pages.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const BOSS = 'boss@example.com';
const ANN = 'ann@example.com';
const ALERTS = '/spaces/acme/alerts';

describe.skipIf(!hasBrowser)('the page of alerts', () => {
  let gateway: TestGateway;
  let receiver: AlertReceiver;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    const config = changeConfig(testConfig(), { alerts: { allow_hosts: ['127.0.0.1'] } });
    [gateway, receiver] = await Promise.all([startGateway({ config }), AlertReceiver.start()]);
    await gateway.admin('members.add', { email: BOSS, role: 'admin' });
    await gateway.admin('members.add', { email: ANN, role: 'member' });
    await gateway.admin('alerts.add', { name: 'kim', type: 'email', address: 'kim@example.com' });
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(async () => {
    await gateway.stop();
    await receiver.stop();
  });

  test.each(looks)('is sound at $width px, $theme, $language', async (look) => {
    const opened = await browser.open(ALERTS, { email: BOSS, ...look });
    const { page } = opened;
    await page.getByText('kim', { exact: true }).waitFor();
    await expectSound(opened);
    await page.goto(page.url().replace(/\?.*|$/, '?tab=thresholds'));
    await page.getByRole('textbox').first().waitFor();
    await expectSound(opened);
    await page.goto(page.url().replace(/\?.*/, '?tab=deliveries'));
    await page.getByRole('combobox').waitFor();
    await expectSound(opened);
  });

  test('a webhook is added, its secret is shown once, and a test arrives and is in the log', async () => {
    const { page, troubles } = await browser.open(ALERTS, { email: BOSS });
    await page.getByRole('button', { name: 'Add a target' }).click();
    await page.getByLabel('Name', { exact: true }).fill('ops');
    await page.getByLabel('Address').fill(receiver.url);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(/whsec_/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Close without copying' }).click();
    await page.getByRole('button', { name: 'Send a test to ops' }).click();
    await page.getByText('A test is on its way to ops.').waitFor();
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page.getByRole('cell', { name: 'delivered' }).waitFor();
    expect(receiver.received).toHaveLength(1);
    expect(troubles).toEqual([]);
  });

  test('thresholds are saved, and a wrong one is explained', async () => {
    const { page } = await browser.open(`${ALERTS}?tab=thresholds`, { email: BOSS });
    await page.getByLabel('Monthly limits (%)').fill('90, 100');
    await page.getByLabel('Low balance (units)').fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const saved = { limit_percents: [90, 100], balance_units: '5', balance_percent: 10, expiry_days: [7, 1] };
    expect(await gateway.admin('alerts.settings')).toEqual(saved);
    await page.getByLabel('Monthly limits (%)').fill('900');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/limit_percents/).waitFor();
    expect(await gateway.admin('alerts.settings')).toEqual(saved);
  });

  test('a member sees that only administrators may', async () => {
    const { page } = await browser.open(ALERTS, { email: ANN });
    await page.getByRole('heading', { name: 'Alerts' }).waitFor();
    expect(await page.getByRole('button', { name: 'Add a target' }).count()).toBe(0);
  });
});
