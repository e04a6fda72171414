/** The way of a new member through the console: sign in, create a key, make the first call, read its receipt. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser-pages.ts';
import { testConfig } from '../support/config.ts';
import { ConsoleBrowser } from '../support/console-browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const ANN = 'ann@example.com';
/** Costs so small that a number would write them with an exponent. */
const config = testConfig({ prices: { 'sim-chat': { input: 0.000003, output: 0.000011 } } });

interface Receipt {
  readonly cost: string;
  readonly lines: ReadonlyArray<{ amount: string }>;
}

describe.skipIf(!hasBrowser)('the first call of a member', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    gateway = await startGateway({ config });
    await gateway.admin('members.add', { space: 'acme', email: ANN, role: 'member' });
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  test('leads from a sign-in link over a new key and a green Connect page to its receipt, with the digits of the API', async () => {
    const { code } = await gateway.admin('people.link', { email: ANN });
    const { page, troubles } = await browser.open(`/sign-in#${code}`, { clipboard: true });
    await page.waitForURL(/\/spaces\/acme\/home$/);

    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('laptop');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'Copy the key' }).click();
    const key: string = await page.evaluate('navigator.clipboard.readText()');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'laptop' }).waitFor();

    await page.getByRole('link', { name: 'Connect', exact: true }).click();
    await page.getByLabel('Gateway key').focus();
    await page.keyboard.press('Control+V');
    await page.keyboard.press('Enter');
    await page.getByText('Connected: this key can call').waitFor();
    await page.locator('.first-call.waits').waitFor();
    const authorization = `Bearer ${key}`;
    const reply = await gateway.chat(
      { model: 'sim-chat', messages: [{ role: 'user', content: 'Say five words' }] },
      { authorization },
    );
    const id = reply.headers.get('x-request-id') as string;
    await page.locator('.first-call.worked').waitFor();

    await page.getByRole('link', { name: 'Open the request' }).click();
    const drawer = page.getByRole('dialog', { name: 'Request' });
    const total = drawer.locator('tfoot td');
    await total.waitFor();
    const answer = await fetch(`${gateway.url}/v1/receipts/${id}`, { headers: { authorization } });
    const { cost, lines } = (await answer.json()) as Receipt;
    expect(cost).toMatch(/^0\.\d{9,}$/);
    expect(await total.textContent()).toBe(cost);
    expect(await drawer.locator('tbody tr td:last-child').allTextContents()).toEqual(
      lines.map(({ amount }) => amount),
    );
    expect(new URL(page.url()).searchParams.get('request')).toBe(id);
    expect(troubles).toEqual([]);
  });
});
