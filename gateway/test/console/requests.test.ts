/** The page of requests in a real browser: the list and its filters, the receipt, and who sees what. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hasBrowser } from '../support/browser-pages.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import { ANN, addPeople, callModel, OPS, tinyPrices } from '../support/console-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const PAGE = '/spaces/acme/requests';
/** A key with this name must be shown as it is. */
const NASTY = '<img src=x onerror=alert(1)>';

describe.skipIf(!hasBrowser)('the page of requests', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  const ids: Record<'classic' | 'unpriced' | 'retried' | 'rejected' | 'anns', string> = {
    ...{ classic: '', unpriced: '', retried: '', rejected: '', anns: '' },
  };

  beforeAll(async () => {
    gateway = await startGateway({ config: tinyPrices });
    await addPeople(gateway);
    const owned = { space: 'acme', name: NASTY, kind: 'personal', email: ANN } as const;
    const { key } = await gateway.admin('keys.create', owned);
    ids.classic = await callModel(gateway);
    ids.unpriced = await callModel(gateway, { model: 'unpriced' });
    ids.retried = await callModel(gateway, { model: 'sim-chat', content: '[[fault error-500]] hi' });
    ids.rejected = await callModel(gateway, { model: 'nothing' });
    ids.anns = await callModel(gateway, { model: 'sim-chat', key });
    await vi.waitFor(async () => {
      expect((await gateway.admin('requests.list', { space: 'acme' })).data).toHaveLength(5);
    }, PATIENCE);
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  test.each(looks)('is sound at $width px, $theme, $language', async (look) => {
    const opened = await browser.open(`${PAGE}?endpoint=chat`, { email: OPS, ...look });
    await opened.page.locator(`[data-row=${ids.classic}]`).waitFor();
    await expectSound(opened);
    await opened.page.locator(`[data-row=${ids.retried}]`).click();
    await opened.page.locator('[data-drawer] table').waitFor();
    await expectSound(opened);
  });

  test('shows the digits of the API, an unknown cost as unknown, and a free failure as not charged', async () => {
    const { page } = await browser.open(PAGE, { email: OPS });
    const { data } = await gateway.admin('requests.list', { space: 'acme' });
    const cost = data.find(({ id }) => id === ids.classic)?.cost ?? '';
    expect(cost).toMatch(/^0\.0000\d{6,}$/);
    const units = (id: string) => page.locator(`[data-row=${id}] td`).last().textContent();
    await page.locator(`[data-row=${ids.classic}]`).waitFor();
    expect(await units(ids.classic)).toBe(cost);
    expect(await units(ids.unpriced)).toBe('unknown');
    expect(await units(ids.retried)).toBe('not charged');
    expect(await units(ids.rejected)).toBe('not charged');
    const shown = await page
      .locator('tbody tr')
      .evaluateAll((rows: Array<{ dataset: { row: string } }>) => rows.map(({ dataset }) => dataset.row));
    expect(shown).toEqual(data.map(({ id }) => id));
  });

  test('the receipt has every line of the API and its exact total, also after a correction', async () => {
    const { page } = await browser.open(`${PAGE}?request=${ids.classic}`, { email: OPS });
    const explained = await gateway.admin('requests.get', { space: 'acme', request: ids.classic });
    const cells = async () => await page.locator('[data-drawer] table').first().locator('tr').allInnerTexts();
    await page.locator('[data-drawer] tfoot').waitFor();
    const lines = explained.call?.lines.map((line) => [line.count, line.price, line.amount].join(' '));
    const shown = (await cells()).map((text) =>
      text
        .split('\t')
        .slice(1)
        .join(' ')
        .replaceAll(/\s?per 1,000,000/g, ''),
    );
    expect(shown.slice(1, -1).map((text) => text.replaceAll(/\s+/g, ' '))).toEqual(lines);
    expect((await cells()).at(-1)).toBe(`Total\t${explained.call?.cost}`);
    await gateway.admin('ledger.correct', { call: ids.classic, amount: '0.000000000001', note: NASTY });
    await page.reload();
    await page.locator('[data-drawer]').getByText(NASTY).waitFor();
    expect((await cells()).at(-1)).toBe('Total after correction\t0.000000000001');
  });

  test('every attempt at a provider is listed; the route is for operators only', async () => {
    const { page, troubles } = await browser.open(`${PAGE}?request=${ids.retried}`, { email: OPS });
    const { call, refusal } = await gateway.admin('requests.get', { space: 'acme', request: ids.retried });
    const attempts = page.getByRole('region', { name: 'Attempts at providers' }).locator('tbody tr');
    await attempts.first().waitFor();
    expect(await attempts.count()).toBe(call?.attempt_log?.length);
    await page.getByText('simulator/sim-chat').waitFor();
    await page.getByText(refusal?.detail as string).waitFor();
    const moment = encodeURIComponent(call?.started_at as string);
    await page.locator(`a[href$="/spaces/acme/logs?at=${moment}"]`).waitFor();
    await page.locator(`a[href$="/spaces/acme/playground?request=${ids.retried}"]`).waitFor();
    expect(troubles).toEqual([]);
  });

  test('J and K move through the rows, Escape closes, and back and forward work', async () => {
    const { page } = await browser.open(PAGE, { email: OPS });
    await page.locator(`[data-row=${ids.anns}]`).waitFor();
    await page.keyboard.press('j');
    await page.locator(`[data-drawer=${ids.anns}]`).waitFor();
    await page.keyboard.press('j');
    await page.locator(`[data-drawer=${ids.rejected}]`).waitFor();
    await page.getByText('There is no model "nothing" in this space.').waitFor();
    await page.keyboard.press('k');
    await page.locator(`[data-drawer=${ids.anns}]`).waitFor();
    expect(page.url()).toContain(`request=${ids.anns}`);
    await page.keyboard.press('Escape');
    await page.locator('[data-drawer]').waitFor({ state: 'detached' });
    await page.goBack();
    await page.locator(`[data-drawer=${ids.anns}]`).waitFor();
  });

  test('filters are in the address, and a request that they exclude opens all the same', async () => {
    const { page } = await browser.open(`${PAGE}?status=rejected&request=${ids.classic}`, { email: OPS });
    await page.locator(`[data-drawer=${ids.classic}] tfoot`).waitFor();
    await page.keyboard.press('Escape');
    await page.locator(`[data-row=${ids.rejected}]`).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.getByLabel('Status').selectOption('completed');
    await page.getByLabel('Model').fill('unpriced');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await page.locator(`[data-row=${ids.unpriced}]`).waitFor();
    expect(new URL(page.url()).search).toBe('?status=completed&model=unpriced');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(5);
  });

  test('live shows a new request by itself', async () => {
    const { page } = await browser.open(`${PAGE}?live=on&model=sim-small-context`, { email: OPS });
    await page.getByText('No request matches these filters').waitFor();
    const body = { model: 'sim-small-context', messages: [{ role: 'user', content: 'hi' }] };
    const id = (await gateway.chat(body)).headers.get('x-request-id');
    await page.locator(`[data-row=${id}]`).waitFor();
    expect(await page.getByRole('switch', { name: 'Live' }).getAttribute('aria-checked')).toBe('true');
  });

  test('a member sees only their own requests, with the name of their key as text', async () => {
    const { page, troubles } = await browser.open(PAGE, { email: ANN });
    await page.locator(`[data-row=${ids.anns}]`).getByText(NASTY).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    expect(await page.getByLabel('Member').count()).toBe(0);
    await page.locator(`[data-row=${ids.anns}]`).click();
    await page.locator('[data-drawer] tfoot').waitFor();
    expect(await page.locator('[data-drawer]').innerText()).not.toContain('simulator');
    expect(troubles).toEqual([]);
    await page.goto(`${gateway.url}/console${PAGE}?request=${ids.classic}`);
    await page.getByText(`There is no record of ${ids.classic} in acme.`).waitFor();
  });
});
