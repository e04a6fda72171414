/** The page of usage in a real browser: exact sums, CSV with the same digits, and the way to the requests. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseUnits, printUnits, sumUnits } from '../../src/kernel/units.ts';
import { hasBrowser } from '../support/browser-pages.ts';
import { testConfig } from '../support/config.ts';
import { ConsoleBrowser, expectSound, looks, type Opened } from '../support/console-browser.ts';
import { ANN, addPeople, callModel, OPS } from '../support/console-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readCsv } from '../support/read-csv.ts';

const PAGE = '/spaces/acme/usage';
const NASTY = '<svg onload=alert(1)>';
/** Costs so small that a number would write them with an exponent. */
const config = testConfig({
  prices: {
    'sim-chat': { input: 0.000003, output: 0.000011 },
    'sim-chat-classic': { input: 0.000001, output: 0.000007 },
  },
});

describe.skipIf(!hasBrowser)('the page of usage', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  /** The ids of requests with tags. */
  let tagged: string[];

  beforeAll(async () => {
    gateway = await startGateway({ config });
    await addPeople(gateway);
    const owned = { space: 'acme', name: NASTY, kind: 'personal', email: ANN } as const;
    const { key } = await gateway.admin('keys.create', owned);
    for (const model of ['sim-chat', 'sim-chat-classic', 'sim-chat-classic', 'unpriced'])
      await callModel(gateway, { model });
    await callModel(gateway, { key });
    tagged = [
      await callTagged('team=search,feature=chat', { user: 'kim' }),
      await callTagged('team=other', { user: NASTY, prompt_cache_key: 's1' }),
    ];
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  async function callTagged(tags: string, more: object): Promise<string> {
    const body = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }], ...more };
    const reply = await gateway.chat(body, { 'x-tollgate-tags': tags });
    expect(reply.status).toBe(200);
    await reply.text();
    return reply.headers.get('x-request-id') as string;
  }

  /** The cells of the table below the head, line by line. */
  async function cells({ page }: Opened): Promise<string[][]> {
    await page.locator('tfoot').waitFor();
    const lines = await page.locator('main table tr').allInnerTexts();
    return lines.slice(1).map((line) => line.split('\t'));
  }

  test.each(looks)('is sound at $width px, $theme, $language', async (look) => {
    const by = look.width === 390 ? 'key' : 'day';
    const opened = await browser.open(`${PAGE}?by=${by}`, { email: OPS, ...look });
    await opened.page.locator('tfoot').waitFor();
    if (by === 'day') await opened.page.locator('figure svg').waitFor();
    await expectSound(opened);
  });

  test('every tab has the digits of the API, and a total row that is the sum of the others', async () => {
    const opened = await browser.open(PAGE, { email: OPS });
    for (const by of ['model', 'key', 'member', 'day'] as const) {
      await opened.page.getByRole('tab', { name: `By ${by}` }).click();
      await opened.page.getByRole('region', { name: `By ${by}`, exact: true }).waitFor();
      const { rows, total } = await gateway.admin('reports.usage', { space: 'acme', by });
      const shown = await cells(opened);
      const named = (name: string) => (name === '(shared keys)' ? 'Shared keys' : name);
      expect(shown).toEqual([
        ...rows.map((row) => [named(row.name), String(row.requests), String(row.unpriced), row.cost]),
        ['Total', String(total.requests), String(total.unpriced), total.cost],
      ]);
      const costs = shown.slice(0, -1).map((line) => parseUnits(line.at(-1) as string));
      expect(shown.at(-1)?.at(-1)).toBe(printUnits(sumUnits(costs)));
      expect(total.cost).toMatch(/^0\.\d{9,}$/);
    }
  });

  test('usage is shown by end user, session and each tag in use, with what has none, and adds up to the total', async () => {
    const opened = await browser.open(PAGE, { email: OPS });
    const { page } = opened;
    const { total } = await gateway.admin('reports.usage', { space: 'acme', by: 'model' });
    const check = async (by: string, table: string): Promise<string[]> => {
      await page.getByRole('region', { name: table, exact: true }).waitFor();
      const { rows } = await gateway.admin('reports.usage', { space: 'acme', by });
      const shown = await cells(opened);
      const named = ({ name, kind }: (typeof rows)[number]) => (kind === 'value' ? name : 'Without a value');
      expect(shown).toEqual([
        ...rows.map((row) => [named(row), String(row.requests), String(row.unpriced), row.cost]),
        ['Total', String(total.requests), String(total.unpriced), total.cost],
      ]);
      return shown
        .map(([name]) => name as string)
        .slice(0, -1)
        .toSorted();
    };
    await page.getByRole('tab', { name: 'By end user' }).click();
    expect(await check('end_user', 'By end user')).toEqual([NASTY, 'Without a value', 'kim']);
    await page.getByRole('tab', { name: 'By session' }).click();
    expect(await check('session', 'By session')).toEqual(['Without a value', 's1']);
    await page.getByRole('tab', { name: 'By tag' }).click();
    expect(await check('tag:feature', 'feature')).toEqual(['Without a value', 'chat']);
    await page.getByLabel('Tag', { exact: true }).selectOption('team');
    expect(await check('tag:team', 'team')).toEqual(['Without a value', 'other', 'search']);
    const href = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    expect(href).toContain('by=tag%3Ateam');
    // The tag stays in the address, also of a month without it.
    await page.getByRole('button', { name: 'Earlier month' }).click();
    await page.getByText('Nothing was used in this month').waitFor();
    expect(await page.getByLabel('Tag', { exact: true }).inputValue()).toBe('tag:team');
    await expectSound(opened);
  });

  test('a request shows its tags, its end user and its session as text', async () => {
    const opened = await browser.open(`/spaces/acme/requests?request=${tagged[1]}`, { email: OPS });
    await opened.page.getByText('Tag team', { exact: true }).waitFor();
    const texts = await opened.page.getByRole('dialog').innerText();
    for (const shown of ['Tag team', 'other', 'End user', NASTY, 'Session', 's1'])
      expect(texts).toContain(shown);
    expect(opened.troubles).toEqual([]);
  });

  test('the CSV has the same digits as the page', async () => {
    const opened = await browser.open(PAGE, { email: OPS });
    const shown = await cells(opened);
    const href = await opened.page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    const reply = await opened.page.request.get(`${gateway.url}${href}`);
    const [head, ...lines] = readCsv(await reply.text());
    const columns = ['name', 'requests', 'unpriced', 'cost'].map((name) => head?.indexOf(name) ?? -1);
    expect(columns).not.toContain(-1);
    expect(lines.map((line) => columns.map((at) => line[at]))).toEqual(shown.slice(0, -1));
  });

  test('a month is chosen with its exact period, and one without usage says so', async () => {
    const { page, troubles } = await browser.open(PAGE, { email: OPS });
    const { period_start, period_end } = await gateway.admin('reports.usage', { space: 'acme', by: 'model' });
    const printed = (time: string) => time.slice(0, 19).replace('T', ' ');
    await page.getByText(`From ${printed(period_start)} until ${printed(period_end)} (KST)`).waitFor();
    expect(await page.getByRole('button', { name: 'Later month' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Earlier month' }).click();
    await page.getByText('Nothing was used in this month').waitFor();
    await page.goBack();
    await page.locator('tfoot').waitFor();
    await page.getByText('Their cost is unknown, not zero').waitFor();
    expect(troubles).toEqual([]);
  });

  test('a row leads to exactly its requests', async () => {
    const { page } = await browser.open(PAGE, { email: OPS });
    await page.getByRole('link', { name: 'sim-chat-classic' }).click();
    await page.locator('[data-row^=req_]').first().waitFor();
    expect(await page.locator('[data-row^=req_]').count()).toBe(3);
    const search = new URL(page.url()).searchParams;
    expect(search.get('model')).toBe('sim-chat-classic');
    expect(search.get('from')).toMatch(/-01T00:00:00\+09:00$/);
  });

  test('a row of a revoked key leads to its own requests, not to those of a newer key of the same name', async () => {
    const make = async (): Promise<string> => {
      const { key } = await gateway.admin('keys.create', { space: 'acme', name: 'reused', kind: 'shared' });
      const body = { model: 'unpriced', messages: [{ role: 'user', content: 'Hello' }] };
      const reply = await gateway.chat(body, { authorization: `Bearer ${key}` });
      await reply.text();
      return reply.headers.get('x-request-id') as string;
    };
    const old = await make();
    await gateway.admin('keys.revoke', { space: 'acme', name: 'reused' });
    const young = await make();
    const { rows } = await gateway.admin('reports.usage', { space: 'acme', by: 'key' });
    const ids = rows.filter(({ name }) => name === 'reused').map(({ key_id: id }) => id);
    const leads: string[] = [];
    for (const place of [0, 1]) {
      const { page, troubles } = await browser.open(`${PAGE}?by=key`, { email: OPS });
      await page.getByRole('link', { name: 'reused' }).nth(place).click();
      await page.locator('[data-row^=req_]').first().waitFor();
      expect(await page.getByLabel('Key id').inputValue()).toBe(ids[place]);
      const shown = await page.locator('[data-row^=req_]').all();
      for (const row of shown) leads.push((await row.getAttribute('data-row')) as string);
      expect(troubles).toEqual([]);
    }
    expect(leads.toSorted()).toEqual([old, young].toSorted());
  });

  test('a member sees what their own key used, its name as text, and no tab of members', async () => {
    const opened = await browser.open(`${PAGE}?by=key`, { email: ANN });
    const { rows } = await gateway.admin('reports.usage', { space: 'acme', by: 'key' });
    const own = rows.find(({ name }) => name === NASTY);
    expect(await cells(opened)).toEqual([
      [NASTY, '1', own?.cost],
      ['Total', '1', own?.cost],
    ]);
    expect(await opened.page.getByRole('tab', { name: 'By member' }).count()).toBe(0);
    expect(opened.troubles).toEqual([]);
  });
});
