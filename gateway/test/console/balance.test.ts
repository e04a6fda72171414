/** The page of the balance in a real browser: what a space holds and owes, and every movement, to the last digit. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { hasBrowser } from '../support/browser-pages.ts';
import { ConsoleBrowser, expectSound, looks, type Opened } from '../support/console-browser.ts';
import { ANN, addPeople, callModel, OPS, tinyPrices } from '../support/console-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const PAGE = '/spaces/acme/balance';
const NASTY = '<iframe src=javascript:alert(1)>';

describe.skipIf(!hasBrowser)('the page of the balance', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    gateway = await startGateway({ config: tinyPrices });
    await addPeople(gateway);
    const promo = { space: 'acme', amount: '0.000000000007', kind: 'promo', note: NASTY } as const;
    await gateway.admin('grants.add', { ...promo, expires: '2999-12-31T23:59:59+09:00' });
    await gateway.admin('spaces.create', { name: 'owing', overage: true });
    const { key } = await gateway.admin('keys.create', { space: 'owing', name: 'only', kind: 'shared' });
    const call = await callModel(gateway);
    await gateway.admin('ledger.correct', { call, amount: '0.000000000001', note: 'a gift' });
    await callModel(gateway, { key });
    await gateway.admin('spaces.invoice', { space: 'owing', note: 'INV-17' });
    await callModel(gateway, { key });
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  /** The cells of the table below the head, line by line. */
  async function cells({ page }: Opened, name: string): Promise<string[][]> {
    const table = page.getByRole('region', { name });
    await table.waitFor();
    const lines = await table.locator('tr').allInnerTexts();
    return lines.slice(1).map((line) => line.split('\t').map((cell) => cell.trim()));
  }

  test.each(looks)('is sound at $width px, $theme, $language', async (look) => {
    const tab = look.width === 390 ? 'journal' : 'statement';
    const opened = await browser.open(`${PAGE}?tab=${tab}`, { email: OPS, ...look });
    await opened.page.locator('main table').waitFor();
    await expectSound(opened);
  });

  test('shows what is held and owed with the digits of the API, and an estimate as such', async () => {
    const { page } = await browser.open('/spaces/owing/balance', { email: OPS });
    const { held, overage } = await gateway.admin('reports.balance', { space: 'owing' });
    const { spent } = await gateway.admin('spaces.get', { space: 'owing' });
    await page.getByText('Estimate at month end').waitFor();
    const figures = await page.locator('main dl dd:nth-of-type(1)').allInnerTexts();
    expect(figures.slice(0, 5)).toEqual([held.total, held.promo, held.paid, overage.accrued, spent]);
    expect(overage.accrued).toMatch(/^0\.0000\d{6,}$/);
    expect(figures[5]).toMatch(/^≈ \d/);
  });

  test('the grants, the journal and the invoices are those of the API', async () => {
    const opened = await browser.open(PAGE, { email: OPS });
    const grants = await gateway.admin('grants.list', { space: 'acme' });
    const plain = (amount: string | undefined) => amount?.replace(/^1000\b/, '1,000');
    expect((await cells(opened, 'Grants')).map((line) => [line[2], line[3], line[5]])).toEqual(
      grants.data.map(({ amount, remaining, note }) => [plain(amount), plain(remaining), note]),
    );
    await opened.page.getByRole('tab', { name: 'Journal' }).click();
    const { data } = await gateway.admin('ledger.list', { space: 'acme' });
    const journal = await cells(opened, 'Journal');
    const moved = journal.map((line) => line.slice(-8).map((amount) => amount.replaceAll(',', '')));
    expect(moved).toEqual(
      data.map((row) => [
        ...[row.promo, row.paid, row.overage, row.spent, row.issued, row.expired, row.invoiced, row.due],
      ]),
    );
    for (const row of moved) expect(printUnits(sumUnits(row.map(parseUnits)))).toBe('0');
    expect(opened.troubles).toEqual([]);
    await opened.page.goto(`${gateway.url}/console/spaces/owing/balance?tab=invoices`);
    const invoices = await gateway.admin('invoices.list', { space: 'owing' });
    expect((await cells(opened, 'Invoices')).map((line) => line.slice(1, 4))).toEqual(
      invoices.data.map(({ id, units, note }) => [id, units, note]),
    );
  });

  test('the statement leads from the opening balance to the one now, line by line', async () => {
    const opened = await browser.open('/spaces/owing/balance?tab=statement', { email: OPS });
    const statement = await gateway.admin('statements.get', { space: 'owing' });
    const shown = await cells(opened, 'Statement');
    expect(shown[0]?.slice(-3)).toEqual(['0', '0', '0']);
    expect(shown.slice(1, -1).map((line) => line.slice(1))).toEqual(
      statement.lines.map((line) => [
        String(line.entries),
        ...[line.amount, line.promo, line.paid, line.overage],
      ]),
    );
    for (const place of [3, 4, 5]) {
      const amounts = shown.slice(0, -1).map((line) => parseUnits(line[place] as string));
      expect(shown.at(-1)?.at(place)).toBe(printUnits(sumUnits(amounts)));
    }
    await opened.page.getByRole('button', { name: 'Earlier month' }).click();
    await opened.page.getByRole('row', { name: /^Closing balance/ }).waitFor();
    expect(new URL(opened.page.url()).search).toMatch(/^\?tab=statement&month=\d{4}-\d{2}$/);
  });

  test('nothing moves when the balance arrives after the rest of the page', async () => {
    const { page } = await browser.open('/account', { email: OPS });
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const isBalance = ({ pathname }: URL) => /^(?!\/console).*\/spaces\/acme\/balance$/.test(pathname);
    await page.route(isBalance, async (route) => {
      asked.resolve();
      await held.promise;
      await route.continue();
    });
    const grants = page.waitForResponse((reply) => reply.url().includes('/spaces/acme/grants'));
    await page.goto(`${gateway.url}/console${PAGE}`);
    await Promise.all([asked.promise, grants]);
    await page.getByRole('status').first().waitFor();
    const tab = page.getByRole('tab', { name: 'Grants' });
    const before = (await tab.isVisible()) ? await tab.boundingBox() : null;
    held.resolve();
    await page.getByRole('heading', { name: 'Units held' }).waitFor();
    await tab.waitFor();
    const after = await tab.boundingBox();
    expect(before ?? after).toEqual(after);
  });

  test('a member sees the balance and none of its movements', async () => {
    const { page, troubles } = await browser.open(PAGE, { email: ANN });
    await page.getByRole('heading', { name: 'Units held' }).waitFor();
    expect(await page.getByRole('tab').count()).toBe(0);
    expect(troubles).toEqual([]);
  });
});
