/** The start page of a space in a real browser: the state of the account, the month, the last errors. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser-pages.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import { ANN, addPeople, callModel, OPS, tinyPrices } from '../support/console-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const PAGE = '/spaces/acme/home';
const NASTY = '"><script>alert(1)</script>';

describe.skipIf(!hasBrowser)('the home page', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;

  async function newKey(space: string, name: string, email?: string): Promise<string> {
    const owner = email === undefined ? { kind: 'shared' as const } : { kind: 'personal' as const, email };
    return (await gateway.admin('keys.create', { space, name, ...owner })).key;
  }

  beforeAll(async () => {
    gateway = await startGateway({ config: tinyPrices });
    await addPeople(gateway);
    await gateway.admin('grants.add', { space: 'acme', amount: '0.123456789012', kind: 'promo' });
    await callModel(gateway);
    await callModel(gateway, { model: 'unpriced' });
    await callModel(gateway, { key: await newKey('acme', 'anns', ANN) });
    await callModel(gateway, { key: await newKey('acme', NASTY), model: 'nothing' });
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  test.each(looks)('is sound at $width px, $theme, $language', async (look) => {
    const opened = await browser.open(PAGE, { email: OPS, ...look });
    await opened.page.locator('figure svg').waitFor();
    await opened.page.locator('tbody code').first().waitFor();
    await expectSound(opened);
  });

  test('shows the figures of the API digit for digit, also in the table of days', async () => {
    const { page } = await browser.open(PAGE, { email: OPS });
    const { month, days } = await gateway.admin('spaces.overview', { space: 'acme' });
    const { held, overage } = await gateway.admin('reports.balance', { space: 'acme' });
    await page.getByText(`promo ${held.promo} · paid`).waitFor();
    const figures = await page.locator('main dl dd:nth-of-type(1)').allInnerTexts();
    expect(month.cost).toMatch(/^0\.0000\d{6,}$/);
    expect(figures).toEqual([
      held.total.replace('1000.', '1,000.'),
      overage.accrued,
      month.cost,
      String(month.requests),
      String(month.active_keys),
    ]);
    await page.getByText('plus 1 request with an unknown cost').waitFor();
    await page.getByRole('button', { name: 'Show as a table' }).click();
    const rows = await page.getByRole('region', { name: 'Units by day' }).locator('tr').allInnerTexts();
    expect(rows.slice(1)).toEqual([
      ...days.map(({ day, requests, cost }) => `${day}\t${requests}\t${cost}`),
      `Total\t${month.requests}\t${month.cost}`,
    ]);
  });

  test('an error opens as a request with its explanation, and the name of a key is text', async () => {
    const { page, troubles } = await browser.open(PAGE, { email: OPS });
    const errors = page.getByRole('region', { name: 'Last errors' });
    await errors.getByText(NASTY).waitFor();
    await errors.getByRole('link').first().click();
    await page.getByText('There is no model "nothing" in this space.').waitFor();
    expect(page.url()).toMatch(/\/requests\?request=req_/);
    expect(troubles).toEqual([]);
  });

  test('a member sees their own usage and errors, and no link to the balance', async () => {
    const { page } = await browser.open(PAGE, { email: ANN });
    await page.getByText(/Your usage in/).waitFor();
    const figures = page.locator('section', { hasText: 'Your usage in' }).locator('dd:nth-of-type(1)');
    const { rows } = await gateway.admin('reports.usage', { space: 'acme', by: 'key' });
    const own = rows.find(({ name }) => name === 'anns');
    expect(await figures.allInnerTexts()).toEqual([own?.cost, '1']);
    await page.getByText('No request failed or was rejected lately.').waitFor();
    expect(await page.getByRole('link', { name: 'Balance and statement' }).count()).toBe(0);
  });

  test('the checklist follows the first steps and disappears with the first call that works', async () => {
    await gateway.admin('spaces.create', { name: 'fresh', overage: true });
    const { page } = await browser.open('/spaces/fresh/home', { email: OPS });
    await page.getByText('Until your first call works').waitFor();
    expect(await page.locator('li[data-done=true]').count()).toBe(0);
    const key = await newKey('fresh', 'first');
    await page.locator('li[data-done=true]', { hasText: 'Have a key' }).waitFor();
    await callModel(gateway, { key });
    await page.getByText('Until your first call works').waitFor({ state: 'detached' });
  });

  test('the state of the account comes first: blocked, without units, in overage', async () => {
    await gateway.admin('spaces.create', { name: 'poor' });
    const { page } = await browser.open('/spaces/poor/home', { email: OPS });
    const state = page.locator('main section').first();
    await state.getByText('No units left').waitFor();
    await gateway.admin('spaces.overage', { space: 'poor', allowed: true });
    await callModel(gateway, { key: await newKey('poor', 'only') });
    await page.reload();
    await state.getByText('In overage').waitFor();
    const { overage } = await gateway.admin('reports.balance', { space: 'poor' });
    await state.getByText(overage.accrued, { exact: true }).waitFor();
    await gateway.admin('spaces.block', { space: 'poor', blocked: true });
    await page.reload();
    await state.getByText('tollgate spaces block poor off').waitFor();
  });
});
