/** The page of budgets in a real browser: a budget that refuses, a request for more of a member, and its approval. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser-pages.ts';
import { simulated, testConfig } from '../support/config.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const BOSS = 'boss@example.com';
const ANN = 'ann@example.com';
const LEE = 'lee@example.com';
const BUDGETS = '/spaces/acme/budgets';
/** Every call costs one unit. */
const config = testConfig({
  models: { unit: simulated('sim-chat') },
  prices: { unit: { input: 0, output: 0, request: '1' } },
});

describe.skipIf(!hasBrowser)('the page of budgets', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    gateway = await startGateway({ config });
    await gateway.admin('members.add', { email: BOSS, role: 'admin' });
    for (const email of [ANN, LEE]) await gateway.admin('members.add', { email, role: 'member' });
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  /** The sentence of the refusal; null if the call was answered. */
  async function call(tags: string, user?: string): Promise<string | null> {
    const body = { model: 'unit', messages: [{ role: 'user', content: 'hi' }], max_completion_tokens: 50 };
    const reply = await gateway.chat({ ...body, ...(user && { user }) }, { 'x-tollgate-tags': tags });
    const { detail } = (await reply.json()) as { detail?: string };
    return reply.status === 200 ? null : (detail ?? '');
  }

  test.each(looks)('is sound at $width px, $theme, $language', async (look) => {
    const name = `sound ${look.width} ${look.theme} ${look.language}`;
    const tags = `team=${look.width}${look.theme}${look.language}`;
    await gateway.admin('budgets.add', { name, amount: '5', window: 'month', tags });
    const each = {
      name: `${name} each`,
      amount: '5',
      window: 'day',
      tags,
      per: 'end_user',
      hard: true,
    } as const;
    await gateway.admin('budgets.add', each);
    await call(tags, 'ann');
    await gateway.admin('budgets.ask', { budget: name, amount: '2', note: 'a release' });
    const opened = await browser.open(BUDGETS, { email: BOSS, ...look });
    const { page } = opened;
    await page.getByText('a release').first().waitFor();
    await page.getByText('1 / 5').first().waitFor();
    await expectSound(opened);
    await page.goto(`${page.url()}?budget=${encodeURIComponent(each.name)}`);
    await page.getByRole('dialog').getByText('1 / 5').waitFor();
    await expectSound(opened);
  });

  test('a budget that is added refuses, a member asks for more, and once it is approved the call passes', async () => {
    const { page, troubles } = await browser.open(BUDGETS, { email: BOSS });
    await page.getByRole('button', { name: 'Add a budget' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('shop');
    await dialog.getByLabel('Amount (units)').fill('1');
    await dialog.getByLabel('Calls that do not fit').selectOption('refuses');
    await dialog.getByLabel('Tags', { exact: true }).fill('team=shop');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('row', { name: /shop.*refuses.*team=shop.*0 \/ 1/ }).waitFor();

    expect(await call('team=shop')).toBeNull();
    expect(await call('team=shop')).toContain('The budget "shop" is used up.');
    // Where refusals link to, if the gateway knows its address.
    const { page: member, troubles: ofMember } = await browser.open(`${BUDGETS}?ask=shop`, { email: ANN });
    await member.getByLabel('How many units more').fill('1');
    await member.getByLabel('What it is for').fill('the sale');
    await member.getByRole('button', { name: 'Ask', exact: true }).click();
    await member.getByRole('row', { name: /shop.*waits/ }).waitFor();

    await page.reload();
    await page.getByText(`${ANN} asks for 1 more of shop`).waitFor();
    await page.getByRole('button', { name: `Approve once what ${ANN} asks for of shop` }).click();
    await page.getByRole('row', { name: /shop.*approved once/ }).waitFor();
    await page.getByText('1 / 2', { exact: true }).waitFor();
    expect(await call('team=shop')).toBeNull();
    expect(await call('team=shop')).toContain('used up');
    await member.reload();
    await member.getByRole('row', { name: /shop.*approved once/ }).waitFor();
    expect([...troubles, ...ofMember]).toEqual([]);
  });

  test('a budget is changed, shows who spent most of it, and is removed', async () => {
    await gateway.admin('budgets.add', { name: 'each', amount: '9', window: 'day', per: 'end_user' });
    await call('team=other', 'kim');
    const { page, troubles } = await browser.open(BUDGETS, { email: BOSS });
    await page.getByRole('button', { name: /^each/ }).click();
    const drawer = page.getByRole('dialog', { name: 'each', exact: true });
    await drawer.getByRole('cell', { name: 'kim' }).waitFor();
    await drawer.getByText('1 / 9').first().waitFor();
    await drawer.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Amount (units)').fill('7');
    await page.getByRole('button', { name: 'Save' }).click();
    await drawer.getByText('1 / 7').first().waitFor();
    expect(await gateway.admin('budgets.get', { budget: 'each' })).toMatchObject({ amount: '7' });
    await drawer.getByRole('button', { name: 'Remove' }).click();
    await page
      .getByRole('dialog', { name: 'Remove the budget each?' })
      .getByRole('button', { name: 'Remove' })
      .click();
    await drawer.waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: /^each/ }).count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  test('a member sees their own requests, and neither budgets nor what others ask for', async () => {
    await gateway.admin('budgets.add', { name: 'secret', amount: '9', window: 'month', tags: 'team=secret' });
    await gateway.admin('budgets.ask', { budget: 'secret', amount: '3' });
    const { page, troubles } = await browser.open(BUDGETS, { email: LEE });
    await page.getByText('You have not asked for more').waitFor();
    expect(await page.getByText('secret').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Add a budget|Approve/ }).count()).toBe(0);
    expect(troubles).toEqual([]);
  });
});
