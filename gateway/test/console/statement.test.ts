/** The page of the statement in a real browser: the digits of the API, on the screen, on paper and in files. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { monthOf, monthStart, systemClock } from '../../src/kernel/time.ts';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { hasBrowser } from '../support/browser-pages.ts';
import { chargeCalls } from '../support/charged-calls.ts';
import { ConsoleBrowser, expectSound, looks, type Opened } from '../support/console-browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readCsv } from '../support/read-csv.ts';

const [ANN, ADA] = ['ann@example.com', 'ada@example.com'];
const NASTY = '<img src=x onerror=alert(1)>';
const NOW = systemClock.now();
const MONTH = monthOf(NOW);
const EARLIER = monthOf(monthStart(MONTH) - 1);
const PAGE = `/spaces/acme/statement?month=${MONTH}`;

describe.skipIf(!hasBrowser)('the page of the statement', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    gateway = await startGateway();
    const { admin } = gateway;
    await admin('members.add', { space: 'acme', email: ANN, role: 'member' });
    await admin('members.add', { space: 'acme', email: ADA, role: 'admin' });
    await admin('keys.create', { name: NASTY, kind: 'personal', email: ANN });
    await admin('grants.add', { amount: '0.000000000007', kind: 'promo' });
    const call = (key: string, at: number, cost: string | null, model: string) => ({
      ...{ key, cost, model, id: newId('req', at), startedAt: at, at: new Date(at).toISOString() },
    });
    const earlier = monthStart(MONTH) - 3_600_000;
    const [corrected = ''] = await chargeCalls(gateway, [call('test', earlier, '2.5', 'large')], earlier);
    await chargeCalls(gateway, [
      call('test', NOW, '1234.000000000001', 'large'),
      call(NASTY, NOW, '0.000000000009', 'small'),
      call(NASTY, NOW, null, 'preview'),
    ]);
    await admin('ledger.correct', { call: corrected, amount: '2', note: 'wrong price' });
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  /** The cells of a table below its head, without the grouping of digits. */
  async function cells({ page }: Opened, name: string): Promise<string[][]> {
    const table = page.getByRole('region', { name });
    await table.waitFor();
    const lines = await table.locator('tr').allInnerTexts();
    return lines.slice(1).map((line) => line.split('\t').map((cell) => cell.trim().replaceAll(',', '')));
  }

  test.each(looks)('is sound at $width px, $theme, $language', async (look) => {
    const opened = await browser.open(PAGE, { email: ADA, ...look });
    await opened.page.locator('main table').nth(2).waitFor();
    await expectSound(opened);
  });

  test('shows every figure with the digits of the API, and user data only as text', async () => {
    const opened = await browser.open(PAGE, { email: ADA });
    const { lines, opening, closing, models, keys, charged, usage } = await gateway.admin('statements.get');
    const accounts = ['promo', 'paid', 'overage'] as const;
    const moves = await cells(opened, 'Statement');
    expect(moves.map((line) => line.slice(-3))).toEqual(
      [opening, ...lines, closing].map((line) => accounts.map((account) => line[account])),
    );
    const sums = (rows: typeof models | typeof keys) =>
      rows.map((row) => [row.charges, row.corrections, row.amount]);
    const [byModel, byKey] = [await cells(opened, 'Charges by model'), await cells(opened, 'Charges by key')];
    expect(byModel.slice(0, -1).map((line) => line.slice(-3))).toEqual(sums(models));
    expect(byKey.slice(0, -1).map((line) => line.slice(-3))).toEqual(sums(keys));
    expect([byModel.at(-1)?.at(-1), byKey.at(-1)?.at(-1)]).toEqual([charged, charged]);
    expect(charged).toBe('1233.50000000001');
    expect(usage.corrections_of).toEqual([{ month: EARLIER, entries: 1, amount: '-0.5' }]);
    const agreement = await opened.page.locator('main dl dt').allInnerTexts();
    expect(agreement.at(-1)).toMatch(/^Corrections of calls of \w+ \d{4}$/);
    expect(await opened.page.getByText(NASTY).count()).toBe(1);
    await opened.page.getByText('Of these, 1 of unknown cost').first().waitFor();
    expect(opened.troubles).toEqual([]);
  });

  test('is white on paper, without side bar and buttons, and with every column', async () => {
    const opened = await browser.open(PAGE, { email: ADA, theme: 'dark', width: 700 });
    const { page } = opened;
    await page.locator('main table').nth(2).waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('#side-bar').isVisible()).toBe(false);
    expect(await page.getByRole('button').and(page.locator(':visible')).count()).toBe(0);
    expect(await page.locator('header select').isVisible()).toBe(false);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await page.getByRole('columnheader', { name: 'Entries' }).isVisible()).toBe(true);
    expect(await page.locator('main table').count()).toBe(3);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });

  test('the month is part of the address, and both files have the same digits', async () => {
    const { page, troubles } = await browser.open(PAGE, { email: ADA });
    const { charged } = await gateway.admin('statements.get');
    const download = async (press: () => Promise<void>): Promise<{ name: string; rows: string[][] }> => {
      const [file] = await Promise.all([page.waitForEvent('download'), press()]);
      return { name: file.suggestedFilename(), rows: readCsv(await readFile(await file.path(), 'utf8')) };
    };
    const sheet = await download(() => page.getByRole('link', { name: 'Download CSV' }).click());
    const sumOf = (rows: string[][], column: string, only: (row: string[]) => boolean = () => true) => {
      const place = rows[0]?.indexOf(column) as number;
      return printUnits(
        sumUnits(
          rows
            .slice(1)
            .filter(only)
            .map((row) => parseUnits(row[place] as string)),
        ),
      );
    };
    for (const section of ['model', 'key'])
      expect(sumOf(sheet.rows, 'amount', (row) => row[1] === section)).toBe(charged);
    const focus = await download(() => page.getByRole('button', { name: 'Download FOCUS' }).click());
    expect(focus.name).toBe(`focus-acme-${MONTH}.csv`);
    expect(sumOf(focus.rows, 'BilledCost')).toBe(charged);
    await page.getByRole('button', { name: 'Earlier month' }).click();
    await page.getByText('Corrected in').waitFor();
    expect(new URL(page.url()).search).toBe(`?month=${EARLIER}`);
    expect(troubles).toEqual([]);
  });

  test('is linked from the balance, and a member does not see it', async () => {
    const { page } = await browser.open('/spaces/acme/balance?tab=statement', { email: ADA });
    await page.getByRole('link', { name: 'By model and key, to print or download' }).click();
    await page.getByRole('heading', { level: 1, name: /^Statement: acme/ }).waitFor();
    const member = await browser.open(PAGE, { email: ANN });
    await member.page.getByText('Only administrators of the space see this page.').waitFor();
    expect(member.troubles).toEqual([]);
  });
});
