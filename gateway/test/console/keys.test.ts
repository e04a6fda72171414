/** The page of keys in a real browser: creating, rotating, limiting and revoking them, and what a member may do. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hasBrowser } from '../support/browser-pages.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const OPS = 'ops@example.com';
const ANN = 'ann@example.com';
const NASTY = '<img src=x onerror=alert(1)>';
const KEYS = '/spaces/acme/keys';

describe.skipIf(!hasBrowser)('the page of keys', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    gateway = await startGateway();
    await gateway.admin('operators.add', { email: OPS, password: 'correct horse battery' });
    await gateway.admin('members.add', { space: 'acme', email: ANN, role: 'member' });
    await gateway.admin('keys.create', { name: NASTY, kind: 'shared' });
    await gateway.admin('keys.create', { name: 'reports', kind: 'management' });
    await gateway.admin('keys.create', { name: 'laptop', kind: 'personal', email: ANN });
    await gateway.admin('keys.limit', { name: 'test', month_limit: '250' });
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  const chatWith = async (key: string): Promise<number> => {
    const body = { model: 'sim-chat', messages: [{ role: 'user', content: 'hello' }] };
    return (await gateway.chat(body, { authorization: `Bearer ${key}` })).status;
  };
  const secretOn = async (page: Page): Promise<string> =>
    (await page
      .locator('dialog code')
      .filter({ hasText: /^sk_[A-Za-z0-9]+$/ })
      .textContent()) ?? '';

  /** Closing the dialog before the clipboard has the secret would warn. */
  const copyKey = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Copy the key' }).click();
    await page.getByRole('button', { name: 'Copied the key' }).waitFor();
  };

  test.each(looks)('is sound at $width px, $theme, $language', async (look) => {
    const opened = await browser.open(`${KEYS}?key=test`, { email: OPS, ...look });
    await opened.page.getByRole('dialog').getByText('0 / 250').waitFor();
    await expectSound(opened);
    await opened.page.keyboard.press('Escape');
    await opened.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await opened.page.locator('table').textContent()).toContain(NASTY);
    await expectSound(opened);
  });

  test('a new key has its limits, and its secret is not lost by closing too early', async () => {
    const { page, troubles } = await browser.open(KEYS, { email: OPS });
    await page.getByRole('button', { name: 'Create a key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('ci');
    await dialog.getByLabel('Month limit').fill('12.5');
    await dialog.getByLabel('Requests per minute').fill('60');
    await dialog.getByLabel('Only these models').check();
    await dialog.getByLabel('sim-chat', { exact: true }).check();
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'The key ci was created' }).waitFor();
    const secret = await secretOn(page);
    await page.keyboard.press('Escape');
    await page.getByText('You have not copied it.').waitFor();
    // Browsers close a dialog on the second Escape whatever the page says.
    for (let i = 0; i < 3; i++) await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Back to it' }).click();
    expect(await secretOn(page)).toBe(secret);
    await copyKey(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await chatWith(secret)).toBe(200);
    expect(await gateway.admin('keys.get', { name: 'ci' })).toMatchObject({
      month_limit: '12.5',
      requests_per_minute: 60,
      tokens_per_minute: null,
      models: ['sim-chat'],
    });
    expect(troubles).toEqual([]);
  });

  test('if a limit cannot be set, the page says which, and that the key exists', async () => {
    const { page } = await browser.open(KEYS, { email: OPS });
    await page.getByRole('button', { name: 'Create a key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('half');
    await dialog.getByLabel('Month limit').fill('12');
    await dialog.getByLabel('Tokens per minute').fill('1000');
    await page.route('**/rate*', async (route) => await route.abort());
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const note = page.getByRole('alert');
    await note.waitFor();
    expect(await note.textContent()).toMatch(/The key exists.*Rate limits: /);
    expect(await gateway.admin('keys.get', { name: 'half' })).toMatchObject({
      month_limit: '12',
      tokens_per_minute: null,
    });
  });

  test('a rotated key keeps its old secret for the grace hours, and its spending', async () => {
    const { key: old } = await gateway.admin('keys.create', { name: 'rotated', kind: 'shared' });
    expect(await chatWith(old)).toBe(200);
    const { spent } = await gateway.admin('keys.get', { name: 'rotated' });
    const { page } = await browser.open(`${KEYS}?key=rotated`, { email: OPS });
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Rotate rotated' });
    await form.getByLabel(/^Old secret keeps working/).fill('2');
    await form.getByRole('button', { name: 'Rotate' }).click();
    await page.getByText(/^The old secret works until .* What the key has spent stays\.$/).waitFor();
    const secret = await secretOn(page);
    expect(await chatWith(secret)).toBe(200);
    expect(await chatWith(old)).toBe(200);
    await copyKey(page);
    await page.keyboard.press('Escape');
    await page.getByText('What the key has spent stays.').waitFor({ state: 'detached' });
    await page
      .getByRole('dialog', { name: 'rotated' })
      .getByText(/^Old secret works until/)
      .waitFor();
    const after = await gateway.admin('keys.get', { name: 'rotated' });
    expect(Number(after.spent)).toBeGreaterThan(Number(spent));
  });

  test('an administrator disables, enables and revokes a key, which then leaves the list', async () => {
    await gateway.admin('keys.create', { name: 'gone', kind: 'shared' });
    const { page, troubles } = await browser.open(`${KEYS}?search=gone`, { email: OPS });
    await page.getByRole('button', { name: 'gone' }).click();
    const drawer = page.getByRole('dialog', { name: 'gone' });
    await drawer.getByRole('button', { name: 'Disable' }).click();
    await page
      .getByRole('dialog', { name: 'Disable gone?' })
      .getByRole('button', { name: 'Disable' })
      .click();
    await drawer.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('dialog', { name: 'Enable gone?' }).getByRole('button', { name: 'Enable' }).click();
    await drawer.getByRole('button', { name: 'Disable' }).waitFor();
    await drawer.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke for good' }).click();
    await page.getByText('No key matches the filters').waitFor();
    await page.getByLabel('State').selectOption('revoked');
    await page.getByRole('button', { name: 'gone' }).click();
    await page.getByText('It is rejected for good.').waitFor();
    expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(0);
    // Its name is free, so that its requests are found by its id.
    await page.getByRole('link', { name: 'Requests of this key' }).click();
    await page.getByText('No request matches these filters').waitFor();
    expect(troubles).toEqual([]);
  });

  test('limits, expiry and models are changed in the details', async () => {
    await gateway.admin('keys.create', { name: 'ruled', kind: 'shared' });
    const { page, troubles } = await browser.open(`${KEYS}?key=ruled`, { email: OPS });
    const set = async (action: string, fill: () => Promise<void>): Promise<void> => {
      await page.getByRole('button', { name: action }).click();
      await fill();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    };
    await set('Set month limit', () => page.getByLabel('Month limit (units)').fill('0.000000000001'));
    await set('Set rate limits', () => page.getByLabel('Tokens per minute').fill('500'));
    await set('Choose models', async () => {
      await page.getByLabel('Only these models').check();
      await page.getByLabel('sim-chat', { exact: true }).check();
    });
    await set('Set expiry', () => page.getByLabel('Expires at (KST)').fill('2999-12-31T09:00'));
    expect(await gateway.admin('keys.get', { name: 'ruled' })).toMatchObject({
      month_limit: '0.000000000001',
      tokens_per_minute: 500,
      models: ['sim-chat'],
      expires_at: '2999-12-31T09:00:00+09:00',
    });
    await page.getByRole('dialog').getByText('0 / 0.000000000001').waitFor();
    expect(troubles).toEqual([]);
  });

  test('a key expires at once only after a confirmation, and works again with a later time', async () => {
    const { key } = await gateway.admin('keys.create', { name: 'brief', kind: 'shared' });
    expect(await chatWith(key)).toBe(200);
    const { page, troubles } = await browser.open(`${KEYS}?key=brief`, { email: OPS });
    const drawer = page.getByRole('dialog', { name: 'brief', exact: true });
    await drawer.getByRole('button', { name: 'Set expiry' }).click();
    await page.getByRole('button', { name: 'Expire now' }).click();
    const question = page.getByRole('dialog', { name: 'Expire brief now?' });
    await question.getByText('An administrator can set a later time again').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('Expires at (KST)').waitFor();
    expect(await gateway.admin('keys.get', { name: 'brief' })).toMatchObject({ state: 'active' });
    await page.getByRole('button', { name: 'Expire now' }).click();
    await question.getByRole('button', { name: 'Expire now' }).click();
    await drawer.getByText('The key has expired.').waitFor();
    await vi.waitFor(async () => expect(await chatWith(key)).toBe(401), PATIENCE);
    await drawer.getByRole('button', { name: 'Set expiry' }).click();
    await page.getByLabel('Expires at (KST)').fill('2999-12-31T09:00');
    await page.getByRole('button', { name: 'Save' }).click();
    await drawer.getByText('The key has expired.').waitFor({ state: 'detached' });
    await vi.waitFor(async () => expect(await chatWith(key)).toBe(200), PATIENCE);
    expect(troubles).toEqual([]);
  });

  test('management keys have their own tab, and the tab is in the address', async () => {
    const { page } = await browser.open(KEYS, { email: OPS });
    await page.getByRole('tab', { name: /Management/ }).click();
    await page.getByRole('button', { name: 'reports' }).waitFor();
    expect(await page.getByRole('button', { name: 'laptop' }).count()).toBe(0);
    expect(page.url()).toContain('tab=management');
    await page.goBack();
    await page.getByRole('button', { name: 'laptop' }).waitFor();
    expect(await page.getByRole('button', { name: 'reports' }).count()).toBe(0);
  });

  test('tokens of programs that administer the space have a tab, and are revoked there', async () => {
    await gateway.admin('tokens.create', { name: NASTY, access: 'read' });
    const opened = await browser.open(`${KEYS}?tab=tokens`, { email: OPS, width: 390 });
    const { page } = opened;
    await page.getByText(NASTY).waitFor();
    await expectSound(opened);
    await page.getByRole('button', { name: `Revoke ${NASTY}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('There is no token yet').waitFor();
    expect((await gateway.admin('tokens.list', { space: 'acme' })).data).toEqual([]);
  });

  test('the download has every key of the list', async () => {
    const { page } = await browser.open(`${KEYS}?search=lap`, { email: OPS });
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const lines = (await readAll(await (await download).createReadStream())).trim().split('\r\n');
    expect(lines.map((line) => line.split(',')[1])).toEqual(['name', 'laptop']);
  });

  test('a member sees only their own keys, creates personal ones and cannot change limits', async () => {
    const { page, troubles } = await browser.open(KEYS, { email: ANN });
    await page.getByRole('button', { name: 'laptop' }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    expect(await page.getByRole('tab').count()).toBe(0);
    await page.getByRole('button', { name: 'Create a key' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Kind').count()).toBe(0);
    await dialog.getByLabel('Name').fill('phone');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await copyKey(page);
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await gateway.admin('keys.get', { name: 'phone' })).toMatchObject({
      kind: 'personal',
      owner: ANN,
    });
    await page.getByRole('button', { name: 'phone' }).click();
    await page.getByRole('button', { name: 'Rotate' }).waitFor();
    const buttons = await page.getByRole('toolbar').getByRole('button').allTextContents();
    expect(buttons).toEqual(['Rotate', 'Disable', 'Revoke']);
    expect(troubles).toEqual([]);
  });
});

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const piece of stream) text += String(piece);
  return text;
}
