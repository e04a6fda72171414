/** The page of operators in a real browser: health, quarantine, spaces, operators, tokens and configuration. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BATCH, kim, otto } from '../support/admin-cases.ts';
import { startAdminStage } from '../support/admin-stage.ts';
import { hasBrowser } from '../support/browser-pages.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import type { TestGateway } from '../support/gateway.ts';

const OPS = otto.email;
const NASTY = '<img src=x onerror=alert(1)>';
const PASSWORD = 'correct horse battery';

/** What each tab shows when it has loaded. */
const tabs = {
  health: 'simulator',
  quarantine: 'a line has no usage',
  spaces: 'debtor',
  access: NASTY,
  config: 'tollgate.yaml',
  audit: 'spaces.create',
} as const;

describe.skipIf(!hasBrowser)('the page of operators', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    ({ gateway } = await startAdminStage());
    await gateway.admin('operatorTokens.create', { name: NASTY, access: 'read' });
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  const spaceNamed = (space: string) => gateway.admin('spaces.get', { space });

  test.each(looks)('is sound at $width px, $theme, $language', async (look) => {
    const opened = await browser.open('/operator', { email: OPS, ...look });
    const { page } = opened;
    // Where the screen is wide, the first tabs stand for the others.
    const checked = Object.entries(tabs).slice(0, look.width === 390 ? undefined : 3);
    for (const [tab, shown] of checked) {
      await page.locator(`#operator-${tab}`).click();
      await page.getByRole('tabpanel').getByText(shown).first().waitFor();
      await expectSound(opened);
    }
    expect(page.url()).toContain(`tab=${checked.at(-1)?.[0]}`);
  });

  test('health names providers, routes with their breakers, jobs and the settlement backlog', async () => {
    const { page, troubles } = await browser.open('/operator', { email: OPS });
    await page.getByRole('region', { name: 'Routes' }).getByText('closed').first().waitFor();
    await page.getByRole('region', { name: 'Background jobs' }).getByText('batch').waitFor();
    await page.getByText('accepts calls').waitFor();
    await page.getByRole('link', { name: 'Look at them' }).click();
    await page.getByText('a line has no usage').waitFor();
    expect(troubles).toEqual([]);
  });

  test('a space is created, granted units, limited, blocked and unblocked', async () => {
    const { page, troubles } = await browser.open('/operator?tab=spaces', { email: OPS });
    await page.getByRole('button', { name: 'Create a space' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('fresh');
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'fresh' }).click();
    const drawer = page.getByRole('dialog', { name: 'fresh' }).first();
    await drawer.getByText('no units').waitFor();
    const act = async (action: string, title: RegExp, submit: string, fill: () => Promise<unknown>) => {
      await drawer.getByRole('button', { name: action, exact: true }).click();
      await fill();
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.getByRole('button', { name: submit, exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    const nothing = async () => undefined;
    await act('Grant units', /^Grant units to/, 'Grant', () =>
      page.getByLabel('Units', { exact: true }).fill('0.000000000001'),
    );
    await drawer.getByText('can spend').waitFor();
    await act('Set rate limits', /^Rate limits of/, 'Save', () =>
      page.getByLabel('Requests per minute').fill('60'),
    );
    await act('Allow overage', /^Allow overage for/, 'Allow overage', nothing);
    await act('Turn on hard limits', /^Turn on hard limits for/, 'Turn on', nothing);
    await act('Block', /^Block fresh/, 'Block', nothing);
    await drawer.getByText('blocked').waitFor();
    expect(await spaceNamed('fresh')).toMatchObject({
      held: '0.000000000001',
      overage_allowed: true,
      hard_limits: true,
      requests_per_minute: 60,
      tokens_per_minute: null,
      blocked: true,
    });
    await act('Unblock', /^Unblock fresh/, 'Unblock', nothing);
    await act('Turn off hard limits', /^Turn off hard limits for/, 'Turn off', nothing);
    expect(await spaceNamed('fresh')).toMatchObject({ blocked: false, hard_limits: false });
    await drawer.getByRole('link', { name: 'Members' }).click();
    await page.waitForURL(/\/spaces\/fresh\/members$/);
    expect(troubles).toEqual([]);
  });

  test('a space gets ids for projects, which its administrators see, and gives them up again', async () => {
    const opened = await browser.open('/operator?tab=spaces&space=lab', { email: OPS });
    const { page } = opened;
    await page.getByRole('button', { name: 'Project ids' }).click();
    const dialog = page.getByRole('dialog', { name: 'Project ids of lab' });
    const give = async (ids: string): Promise<void> => {
      await dialog.getByLabel('Give an id or a prefix').fill(ids);
      await dialog.getByRole('button', { name: 'Give', exact: true }).click();
    };
    await give('lab-*');
    await dialog.getByRole('button', { name: 'Release lab-*' }).waitFor();
    await give('kiosk');
    await dialog.getByRole('button', { name: 'Release kiosk' }).waitFor();
    await expectSound(opened);
    await dialog.getByRole('button', { name: 'Release kiosk' }).click();
    await dialog.getByText('kiosk').waitFor({ state: 'detached' });
    const { data } = await gateway.admin('projectIds.list', { space: 'lab' });
    expect(data).toMatchObject([{ ids: 'lab-*', state: 'given' }]);
    expect(opened.troubles).toEqual([]);
    // A refusal is shown in the dialog.
    await give('gateway');
    await dialog.getByText('which only operators read').waitFor();
    await page.goto(page.url().replace(/\/operator.*/, '/spaces/lab/logs'));
    await page.getByText('Ids for more projects: lab-*').waitFor();
    await page.getByRole('link', { name: 'Log of the gateway' }).click();
    await page.waitForURL(/\/spaces\/lab\/logs\/gateway$/);
    await page.getByText('tollgate is listening').first().waitFor();
  });

  test('overage is invoiced, and then there is nothing to invoice', async () => {
    expect((await spaceNamed('debtor')).overage).not.toBe('0');
    const { page, troubles } = await browser.open('/operator?tab=spaces&space=debtor', { email: OPS });
    await page.getByRole('button', { name: 'Invoice overage' }).click();
    await page.getByLabel('Note').fill('Invoice 17');
    await page.getByRole('button', { name: 'Invoice', exact: true }).click();
    await page.getByRole('button', { name: 'Invoice overage' }).waitFor({ state: 'detached' });
    expect((await spaceNamed('debtor')).overage).toBe('0');
    const { data } = await gateway.admin('invoices.list', { space: 'debtor' });
    expect(data).toMatchObject([{ note: 'Invoice 17' }]);
    expect(troubles).toEqual([]);
  });

  test('a token is shown once and can be revoked', async () => {
    const { page, troubles } = await browser.open('/operator?tab=access', { email: OPS });
    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('backup');
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    const secret = await page
      .locator('dialog code')
      .filter({ hasText: /^at_[A-Za-z0-9]+$/ })
      .textContent();
    const ask = async () => {
      const headers = { authorization: `Bearer ${secret}` };
      return (await fetch(`${gateway.url}/api/console/spaces`, { headers })).status;
    };
    expect(await ask()).toBe(200);
    await page.getByRole('button', { name: 'Copy the token' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Revoke backup' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke backup' }).waitFor({ state: 'detached' });
    expect(await ask()).toBe(401);
    expect(troubles).toEqual([]);
  });

  test('an operator is added and removed', async () => {
    const { page, troubles } = await browser.open('/operator?tab=access', { email: OPS });
    await page.getByRole('button', { name: 'Add an operator' }).click();
    await page.getByRole('dialog').getByLabel('E-mail').fill('new@example.com');
    await page.getByRole('dialog').getByLabel('Password').fill(PASSWORD);
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Actions for new@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Remove operator rights' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove operator rights' }).click();
    await page.locator('tr').filter({ hasText: 'new@example.com' }).waitFor({ state: 'detached' });
    const { data } = await gateway.admin('operators.list');
    expect(data.map(({ email }) => email)).not.toContain('new@example.com');
    expect(troubles).toEqual([]);
  });

  test('a quarantined batch is settled again and leaves the list', async () => {
    const { page, troubles } = await browser.open('/operator?tab=quarantine', { email: OPS });
    await page.getByRole('button', { name: `Settle again ${BATCH}` }).click();
    await page.getByText(/acme is charged once and the results become visible/).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Settle again' }).click();
    await page.getByText('No batch is quarantined').waitFor();
    expect((await gateway.admin('quarantine.list')).data).toEqual([]);
    expect(troubles).toEqual([]);
  });

  test('somebody who is no operator sees nothing of it', async () => {
    const { page, troubles } = await browser.open('/operator?tab=config', { email: kim.email });
    await page.getByText('Only operators of the installation see this page.').waitFor();
    expect(await page.getByRole('tab').count()).toBe(0);
    expect(troubles).toEqual([]);
  });
});
