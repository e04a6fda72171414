/** The frame of the console in a real browser: signing in, the side bar, search, languages and themes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser-pages.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const PASSWORD = 'correct horse battery';
const ANN = 'ann@example.com';

describe.skipIf(!hasBrowser)('the frame of the console', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    gateway = await startGateway();
    await gateway.admin('operators.add', { email: 'ops@example.com', password: PASSWORD });
    await gateway.admin('members.add', { space: 'acme', email: ANN, role: 'member' });
    await gateway.admin('people.password', { email: ANN, password: PASSWORD });
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  test('a deep link survives signing in', async () => {
    const { page, troubles } = await browser.open('/account?from=mail');
    await page.waitForURL(/sign-in/);
    await page.getByLabel('E-mail').fill(ANN);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/console/account?from=mail');
    // Nobody was signed in at first, which is no error.
    expect(troubles).toEqual([]);
  });

  test.each(looks)('is sound at $width px, $theme, $language', async (look) => {
    const opened = await browser.open('/account', { email: ANN, ...look });
    await opened.page.getByRole('heading', { level: 1 }).waitFor();
    await expectSound(opened);
  });

  test('a member sees no page of administrators, and an operator sees all', async () => {
    const member = await browser.open('/account', { email: ANN });
    await member.page.getByRole('link', { name: 'Keys' }).waitFor();
    expect(await member.page.getByRole('link', { name: 'Members' }).count()).toBe(0);
    expect(await member.page.getByRole('link', { name: 'Operator' }).count()).toBe(0);
    const operator = await browser.open('/account', { email: 'ops@example.com' });
    await operator.page.getByRole('link', { name: 'Members' }).waitFor();
    await operator.page.getByRole('link', { name: 'Operator' }).waitFor();
  });

  test('search finds pages, keys and models, by keyboard alone', async () => {
    const { page, troubles } = await browser.open('/account', { email: 'ops@example.com' });
    await page.getByRole('link', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('test');
    await page.getByRole('option', { name: /^test/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/spaces\/acme\/keys\?key=test$/);
    expect(troubles).toEqual([]);
  });

  test.each(['/spaces/acme/nowhere', '/spaces/acme/logs/shop/builds'])(
    '%s is no page, says so, and leads to the start page',
    async (address) => {
      const { page } = await browser.open(address, { email: ANN });
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
      await page.getByRole('link', { name: 'To the start page' }).click();
      await page.waitForURL(/\/console\/spaces\/acme\/home$/);
    },
  );

  test('the same page of another space opens, without the search of the first', async () => {
    await gateway.admin('spaces.create', { name: 'other' });
    await gateway.admin('members.add', { space: 'other', email: ANN, role: 'member' });
    const { page } = await browser.open('/spaces/acme/models?search=1', { email: ANN });
    await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
    expect(new URL(page.url()).search).toBe('?search=1');
    await page.getByRole('button', { name: 'Space: acme. Choose another' }).click();
    await page.getByRole('menuitemradio', { name: 'other' }).click();
    await page.waitForURL(/\/console\/spaces\/other\/models$/);
  });

  test('the language is chosen in the menu of the person and kept', async () => {
    const { page } = await browser.open('/account', { email: ANN });
    await page.getByRole('button', { name: /account and settings/ }).click();
    await page.getByRole('menuitemradio', { name: '한국어' }).click();
    await page.getByRole('heading', { name: '내 계정' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: '내 계정' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('ko');
  });

  test('signing out ends the session', async () => {
    const { page } = await browser.open('/account', { email: ANN });
    await page.getByRole('button', { name: /account and settings/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(/sign-in/);
    expect(await page.evaluate(`fetch('/api/console/session').then((reply) => reply.status)`)).toBe(401);
  });

  test('the start page is the console for browsers, and names the addresses for programs', async () => {
    const { page } = await browser.open('/../');
    await page.waitForURL(/\/console\/sign-in/);
    const reply = await fetch(gateway.url);
    expect(await reply.json()).toMatchObject({
      name: 'tollgate',
      openai_base_url: `${gateway.url}/v1`,
      anthropic_base_url: gateway.url,
    });
  });
});
