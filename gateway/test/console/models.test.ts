/** The page of models in a real browser: every price as it is charged, and no provider. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser-pages.ts';
import { changeConfig, simulated } from '../support/config.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const ANN = 'ann@example.com';
const ADA = 'ada@example.com';
const PAGE = '/spaces/acme/models';
/** A model with this code must be shown as it is. */
/** Every character that a code may have beside letters and digits. */
const ODD = '@odd/na+me:v1.0_x-y';
const PEAK = {
  ...{ from: '16:30', to: '18:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
  except: ['2027-01-01'],
};
/** The demo has prices in every dimension. */
const demo = readFileSync(new URL('../../demo/tollgate.yaml', import.meta.url), 'utf8')
  .replaceAll('${TOLLGATE_SIMULATOR_URL}', 'SIMULATOR_ORIGIN')
  .replaceAll('demo-simulator-key', 'simulator-key');

describe.skipIf(!hasBrowser)('the page of models', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    gateway = await startGateway({
      config: changeConfig(demo, {
        models: { [ODD]: simulated('sim-chat'), 'by-hour': simulated('sim-chat') },
        prices: { models: { 'by-hour': { input: '2', output: '8', when: [{ hours: PEAK, factor: '2' }] } } },
      }),
    });
    await gateway.admin('members.add', { space: 'acme', email: ANN, role: 'member' });
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  test.each(looks)('is sound at $width px, $theme, $language', async (look) => {
    const opened = await browser.open(`${PAGE}?q=sim-c`, { email: ANN, ...look });
    await opened.page.locator('[data-row=sim-claude]').click();
    await opened.page.locator('[data-model=sim-claude] table').waitFor();
    await expectSound(opened);
    await opened.page.keyboard.press('Escape');
    await opened.page.locator('[data-model]').waitFor({ state: 'detached' });
    await expectSound(opened);
  });

  test('lists every model with its input and output price as the API has them, and no provider', async () => {
    const { page, troubles } = await browser.open(PAGE, { email: ANN });
    const { data } = await gateway.admin('models.list', { space: 'acme' });
    await page.locator('tbody tr').first().waitFor();
    const rows = (await page.locator('tbody tr').allInnerTexts()).map((line) => line.split('\t'));
    const cell = (text: string | undefined) => text?.trim().replace(/\s*per (image|second)$/, '');
    expect(rows.map((row) => [row[0]?.trim(), cell(row[1]), cell(row[2])])).toEqual(
      data.map(({ id, pricing }) => {
        if (pricing === null) return [id, 'unknown', 'unknown'];
        return [id, pricing.input ?? '–', pricing.output ?? pricing.per_image ?? pricing.per_second ?? '–'];
      }),
    );
    const shown = await page.locator('main').innerText();
    for (const { name } of (await gateway.admin('installation.config')).providers)
      expect(shown.split(/\s+/)).not.toContain(name);
    expect(troubles).toEqual([]);
  });

  test('a model opens with every price that the API has, and can be tried', async () => {
    const { page } = await browser.open(`${PAGE}?model=sim-claude`, { email: ANN });
    const { data } = await gateway.admin('models.list', { space: 'acme' });
    const drawer = page.locator('[data-model]');
    const prices = async () => await drawer.locator('tbody td:nth-child(2)').allInnerTexts();
    await drawer.locator('table').waitFor();
    const {
      per: _,
      currency: __,
      tools = {},
      ...tokens
    } = (data.find(({ id }) => id === 'sim-claude')?.pricing ?? {}) as Record<string, string> & {
      tools?: Record<string, string>;
    };
    const all = [...Object.values(tokens), ...Object.values(tools)];
    expect((await prices()).toSorted()).toEqual(all.toSorted());
    await page.getByRole('dialog').getByRole('link', { name: 'Try' }).click();
    expect(await page.getByLabel('Model 1').inputValue()).toBe('sim-claude');
    await page.goBack();
    await drawer.locator('table').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[data-row=sim-gemini]').getByRole('link', { name: 'Try' }).click();
    expect(await page.getByLabel('Model 1').inputValue()).toBe('sim-gemini');
    await page.goBack();
    await page.locator('[data-row=sim-image]').click();
    await drawer.getByText('default').waitFor();
    const image = data.find(({ id }) => id === 'sim-image')?.pricing?.image_prices;
    expect(image?.length).toBeGreaterThan(5);
    expect(await prices()).toEqual(image?.map(({ price }) => price));
    expect(page.url()).toContain('model=sim-image');
  });

  test.each([
    [
      'en',
      'for calls that start from 16:30 to 18:00 UTC (01:30 to 03:00 KST), on Mon–Fri (UTC), except 2027-01-01',
    ],
    ['ko', 'UTC 16:30~18:00(한국 시간 01:30~03:00)에 시작한 호출, 월–금(UTC 기준), 2027-01-01 제외'],
  ] as const)('a price by the hour is shown with its hours and days (%s)', async (language, words) => {
    const opened = await browser.open(`${PAGE}?model=by-hour`, { email: ANN, width: 390, language });
    const drawer = opened.page.locator('[data-model=by-hour]');
    await drawer.getByText(words).first().waitFor();
    const prices = await drawer.locator('tbody td:nth-child(2)').allInnerTexts();
    expect(prices).toEqual(['2', '8', '4', '16']);
    await expectSound(opened);
  });

  test('filters are in the address, and a code with odd characters can be found and opened, its price unknown', async () => {
    const { page, troubles } = await browser.open(`${PAGE}?can=web_search`, { email: ANN });
    await page.locator('[data-row=sim-research-1]').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(4);
    await page.getByLabel('Capability').selectOption('');
    await page.getByRole('textbox', { name: 'Model' }).fill('na+me');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?q=na%2Bme');
    await page.getByRole('button', { name: ODD }).click();
    await page.getByRole('heading', { name: ODD }).waitFor();
    await page.getByText('This model has no price.').waitFor();
    await page.goto(`${gateway.url}/console${PAGE}?model=none`);
    await page.getByText('There is no model none in this space.').waitFor();
    expect(troubles).toEqual([]);
  });

  test('an administrator adds, changes and removes an alias; a member only sees it', async () => {
    await gateway.admin('members.add', { space: 'acme', email: ADA, role: 'admin' });
    const opened = await browser.open(`${PAGE}?q=sim-c`, { email: ADA, width: 390 });
    const { page, troubles } = opened;
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByRole('button', { name: 'Add an alias' }).click();
    await page.getByRole('textbox', { name: 'Alias' }).fill('sim-claude');
    await save.click();
    await page.getByText('There is already a model sim-claude in acme.').waitFor();
    // The browser reports the 409.
    expect(troubles.splice(0)).toHaveLength(2);
    await expectSound(opened);
    await page.getByRole('textbox', { name: 'Alias' }).fill('fast');
    await page.getByRole('dialog').getByLabel('Model').selectOption('sim-claude');
    await save.click();
    await page.locator('[data-row=alias-fast]').waitFor();
    await expectSound(opened);
    await page.getByRole('button', { name: 'Change the alias fast' }).click();
    expect(await page.getByRole('dialog').getByLabel('Model').inputValue()).toBe('sim-claude');
    await page.getByRole('dialog').getByLabel('Model').selectOption('sim-chat');
    await save.click();
    await page.locator('[data-row=alias-fast]').getByText('sim-chat').waitFor();
    expect((await gateway.admin('aliases.list', { space: 'acme' })).data).toMatchObject([
      { name: 'fast', model: 'sim-chat' },
    ]);
    const member = await browser.open(PAGE, { email: ANN });
    await member.page.locator('[data-row=alias-fast]').waitFor();
    expect(await member.page.getByRole('button', { name: 'alias' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove the alias fast' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).last().click();
    await page.locator('[data-row=alias-fast]').waitFor({ state: 'detached' });
    expect(troubles).toEqual([]);
  });
});
