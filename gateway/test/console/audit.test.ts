/** The audit log in a real browser: who changed what, filters, the comparison, and the download. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser-pages.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const BOSS = 'boss@example.com';
const ANN = 'ann@example.com';
const OPS = 'ops@example.com';
const NASTY = '"><img src=x onerror=alert(1)>';
const AUDIT = '/spaces/acme/audit';

describe.skipIf(!hasBrowser)('the page of the audit log', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    gateway = await startGateway();
    await gateway.admin('members.add', { email: BOSS, role: 'admin' });
    await gateway.admin('members.add', { email: ANN, role: 'member' });
    await gateway.admin('operators.add', { email: OPS, password: 'correct horse battery' });
    await gateway.admin('keys.create', { name: NASTY, kind: 'shared' });
    await gateway.admin('keys.limit', { name: 'test', month_limit: '10' });
    await gateway.admin('keys.limit', { name: 'test', month_limit: '12.5' });
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  test.each(looks)('is sound at $width px, $theme, $language', async (look) => {
    const opened = await browser.open(AUDIT, { email: BOSS, ...look });
    const { page } = opened;
    await page.getByRole('cell', { name: NASTY }).waitFor();
    await expectSound(opened);
    await page.locator('tbody tr').filter({ hasText: 'keys.limit' }).first().getByRole('button').click();
    await page.getByRole('dialog').getByText('month_limit').waitFor();
    await expectSound(opened);
  });

  test('a row opens what changed, and the unchanged fields on demand', async () => {
    const { page, troubles } = await browser.open(`${AUDIT}?action=keys.limit&subject=test`, { email: BOSS });
    await page.locator('tbody tr').first().getByRole('button').click();
    const fields = page.getByRole('dialog').locator('tbody tr');
    await fields.first().waitFor();
    expect(await fields.allTextContents()).toEqual(['month_limit1012.5changed']);
    expect(await fields.locator('mark').allTextContents()).toEqual(['12.5']);
    expect(page.url()).toMatch(/line=\d+/);
    await page.getByRole('button', { name: 'Show unchanged fields' }).click();
    await page.getByRole('dialog').getByText('requests_per_minute').waitFor();
    expect(troubles).toEqual([]);
  });

  test('a link to a line opens it, also where the list does not show it', async () => {
    const [line] = (await gateway.admin('audit.list', { space: 'acme', action: 'keys.limit', limit: 1 }))
      .data;
    const address = `action=members&line=${line?.id}`;
    const own = await browser.open(`${AUDIT}?${address}`, { email: BOSS });
    const all = await browser.open(`/operator?tab=audit&${address}`, { email: OPS });
    for (const { page, troubles } of [own, all]) {
      await page.getByRole('cell', { name: 'members.add' }).first().waitFor();
      const dialog = page.getByRole('dialog', { name: 'keys.limit' });
      await dialog.getByText('month_limit').waitFor();
      expect(await dialog.locator('mark').allTextContents()).toEqual(['12.5']);
      expect(troubles).toEqual([]);
    }
  });

  test('a link to a line that there is not says so', async () => {
    const { page } = await browser.open(`${AUDIT}?line=999999999`, { email: BOSS });
    await page
      .getByRole('dialog')
      .getByText('There is no line 999999999 in the audit log of acme.')
      .waitFor();
  });

  test('filters are in the address, and a filter without a match says so', async () => {
    const { page, troubles } = await browser.open(AUDIT, { email: BOSS });
    const rows = page.locator('tbody tr');
    await rows.first().waitFor();
    await page.getByLabel('Action').fill('members');
    await page.waitForURL(/action=members/);
    await page.getByText('keys.limit').first().waitFor({ state: 'detached' });
    const shown = await rows.allTextContents();
    expect(shown).toHaveLength(2);
    expect(shown.every((row) => row.includes('members.add'))).toBe(true);
    await page.getByLabel('Until (KST)').fill('2020-01-01');
    await page.getByText('No change matches the filters').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByText('keys.limit').first().waitFor();
    expect(await page.getByLabel('Action').inputValue()).toBe('');
    expect(troubles).toEqual([]);
  });

  test('the day of "until" is part of the range', async () => {
    const [{ at = '' } = {}] = (await gateway.admin('audit.list', { space: 'acme', limit: 1 })).data;
    const day = at.slice(0, 10);
    const { page } = await browser.open(`${AUDIT}?from=${day}&until=${day}`, { email: BOSS });
    await page.getByText('keys.limit').first().waitFor();
  });

  test('the download has the lines of the filters', async () => {
    const { page } = await browser.open(`${AUDIT}?action=keys.limit`, { email: BOSS });
    await page.getByText('keys.limit').first().waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    let text = '';
    for await (const piece of await (await download).createReadStream()) text += String(piece);
    const lines = text.trim().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe('id,at,actor,action,space,subject,before,after');
  });

  test('a member sees that the page is for administrators', async () => {
    const { page, troubles } = await browser.open(AUDIT, { email: ANN });
    await page.getByText('Only administrators of the space see this page.').waitFor();
    expect(troubles).toEqual([]);
  });
});
