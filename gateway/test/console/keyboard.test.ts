/** The console without a mouse: everything is reached, the focus is always seen, and it comes back after a dialog. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser-pages.ts';
import { ConsoleBrowser } from '../support/console-browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { KeyboardPerson } from '../support/keyboard-person.ts';

const BOSS = 'boss@example.com';
const PASSWORD = 'correct horse battery';

describe.skipIf(!hasBrowser)('with the keyboard alone', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    gateway = await startGateway();
    await gateway.admin('members.add', { space: 'acme', email: BOSS, role: 'admin' });
    await gateway.admin('people.password', { email: BOSS, password: PASSWORD });
    await gateway.admin('keys.create', { name: 'spare', kind: 'shared' });
    for (let i = 0; i < 3; i++)
      await (
        await gateway.chat({ model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] })
      ).text();
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  /** On a page of the space, with the name of its heading. */
  async function at(path: string, heading: string) {
    const opened = await browser.open(`/spaces/acme/${path}`, { email: BOSS, clipboard: true });
    await opened.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    return { ...opened, person: new KeyboardPerson(opened.page) };
  }

  test('one signs in, and reaches a page with the side bar, the palette and a shortcut', async () => {
    const { page, troubles } = await browser.open('/sign-in');
    const person = new KeyboardPerson(page);
    await page.getByLabel('E-mail').waitFor();
    await person.tabTo('E-mail');
    await person.type(BOSS);
    await person.tabTo('Password');
    await person.type(PASSWORD);
    await person.press('Enter');
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

    await person.tabTo('Usage');
    await person.press('Enter');
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await person.isAt('Usage');

    await person.press('Control+k');
    await expect.poll(() => person.focus()).toMatchObject({ visible: true, dialog: 'Search' });
    await person.press('Escape');
    await person.isAt('Usage');
    await person.press('Control+k');
    await person.isAt('Pages, keys, models, or the id of a request', 'Search');
    await person.enterAtOnce('requ');
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();

    await person.press('g', 'k');
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    expect(troubles).toEqual([]);
  });

  test('the help of the shortcuts is opened and closed, and the focus is where it was', async () => {
    const { person, page } = await at('keys', 'Keys');
    await person.tabTo('Create a key');
    await person.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await person.press('Escape');
    await person.isAt('Create a key');
  });

  test('one skips the side bar', async () => {
    const { person, page } = await at('keys', 'Keys');
    await person.tabTo('Skip to the page');
    await person.press('Enter', 'Tab');
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
    expect(await person.focus()).toMatchObject({ visible: true });
  });

  test('one creates a key, copies its secret, and is back at the button', async () => {
    const { person, page, troubles } = await at('keys', 'Keys');
    await person.tabTo('Create a key');
    await person.press('Enter');
    await person.isAt('Name', 'Create a key');
    await person.type('made by hand');
    await person.press('Enter');
    await page.getByRole('dialog', { name: 'The key made by hand was created' }).waitFor();
    await person.tabTo('Copy the key');
    await person.press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await person.tabTo('Done');
    await person.press('Enter');
    await person.isAt('Create a key');
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^sk_/);
    expect(troubles).toEqual([]);
  });

  test('one opens a key, acts in a confirmation, and each dialog gives the focus back', async () => {
    const { person, page, troubles } = await at('keys', 'Keys');
    const opener = page.getByRole('button', { name: /^spare/ });
    await opener.waitFor();
    const spare = (await opener.textContent()) ?? '';
    await person.tabTo(spare);
    await person.press('Enter');
    await page.getByRole('dialog', { name: 'spare' }).getByRole('button', { name: 'Disable' }).waitFor();
    await person.tabTo('Disable');
    await person.press('Enter');
    await page.getByRole('dialog', { name: 'Disable spare?' }).waitFor();
    await person.press('Escape');
    await person.isAt('Disable', 'spare');
    await person.press('Enter');
    await page.getByRole('dialog', { name: 'Disable spare?' }).waitFor();
    await person.tabTo('Disable');
    await person.press('Enter');
    await page.getByRole('dialog', { name: 'spare' }).getByText('disabled').first().waitFor();
    // The button it came from is gone: the focus stays in the drawer.
    await expect.poll(() => person.focus()).toMatchObject({ visible: true, dialog: 'spare' });
    expect((await gateway.admin('keys.get', { space: 'acme', name: 'spare' })).disabled).toBe(true);
    await person.press('Escape');
    await person.isAt(spare);
    expect(troubles).toEqual([]);
  });

  test('one moves through requests with J and K, and closes with Esc', async () => {
    const { person, page, troubles } = await at('requests', 'Requests');
    const rows = page.locator('[data-row^=req_]');
    await rows.nth(2).waitFor();
    const ids = await Promise.all([0, 1, 2].map((i) => rows.nth(i).getAttribute('data-row')));
    const shows = (id: string | null | undefined) => page.locator(`[data-drawer="${id}"]`).waitFor();
    const opener = await rows.first().getByRole('button').textContent();
    await person.tabTo(opener?.trim() ?? '');
    await person.press('Enter');
    await shows(ids[0]);
    await person.press('j');
    await shows(ids[1]);
    await person.press('j');
    await shows(ids[2]);
    await person.press('k');
    await shows(ids[1]);
    expect(await person.focus()).toMatchObject({ visible: true, dialog: 'Request' });
    await person.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await person.isAt(opener?.trim() ?? '');
    expect(troubles).toEqual([]);
  });

  test('a menu is opened, used and left', async () => {
    const { person, page } = await at('keys', 'Keys');
    await person.tabTo(`${BOSS}: account and settings`);
    await person.press('Enter');
    await person.isAt('Your account');
    await person.press('ArrowDown', 'Escape');
    await person.isAt(`${BOSS}: account and settings`);
    await person.press('Enter');
    await person.isAt('Your account');
    await person.press('Enter');
    await page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();
  });
});
