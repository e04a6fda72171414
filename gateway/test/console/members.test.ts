/** The page of members in a real browser: roles, limits, removal and invitations. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AdminClient } from '../support/admin-client.ts';
import { hasBrowser } from '../support/browser-pages.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const PASSWORD = 'correct horse battery';
const BOSS = 'boss@example.com';
const ANN = 'ann@example.com';
const NASTY = '<script>alert(1)</script>';
const MEMBERS = '/spaces/acme/members';

describe.skipIf(!hasBrowser)('the page of members', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    gateway = await startGateway();
    await gateway.admin('members.add', { email: BOSS, role: 'admin' });
    await gateway.admin('members.add', { email: ANN, role: 'member', nickname: NASTY });
    await gateway.admin('keys.create', { name: 'laptop', kind: 'personal', email: ANN });
    await gateway.admin('members.limit', { email: ANN, month_limit: '20' });
    await gateway.admin('invitations.create', { email: 'kim@example.com', role: 'member' });
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  const memberNamed = async (email: string) =>
    (await gateway.admin('members.list', { search: email })).data.find((member) => member.email === email);

  test.each(looks)('is sound at $width px, $theme, $language', async (look) => {
    const opened = await browser.open(`${MEMBERS}?member=${ANN}`, { email: BOSS, ...look });
    const { page } = opened;
    await page.getByRole('dialog').getByText('0 / 20').waitFor();
    expect(await page.getByRole('dialog').textContent()).toContain(NASTY);
    await expectSound(opened);
    await page.goto(page.url().replace(/\?.*/, '?tab=invitations'));
    await page.getByText('kim@example.com').waitFor();
    await expectSound(opened);
  });

  test('an administrator changes the role, the limit and the name of a member', async () => {
    await gateway.admin('members.add', { email: 'lee@example.com', role: 'member' });
    const { page, troubles } = await browser.open(`${MEMBERS}?search=lee`, { email: BOSS });
    await page.getByRole('button', { name: /^lee@example\.com/ }).click();
    const set = async (action: string, fill: () => Promise<unknown>): Promise<void> => {
      await page.getByRole('button', { name: action }).click();
      await fill();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    };
    await set('Change role', () =>
      page
        .getByRole('dialog', { name: /^Role of/ })
        .getByLabel('Role', { exact: true })
        .selectOption('admin'),
    );
    await set('Set month limit', () => page.getByLabel('Month limit (units)').fill('0.5'));
    await set('Set rate limits', () => page.getByLabel('Requests per minute').fill('60'));
    await set('Set models', async () => {
      await page.getByLabel('Only these models').check();
      await page.getByLabel('sim-text-only').check();
    });
    await set('Set end', () => page.getByLabel('All keys stop at (KST)').fill('2999-01-01T09:30'));
    await set('Change name', () => page.getByLabel('Name', { exact: true }).fill('이수민'));
    expect(await memberNamed('lee@example.com')).toMatchObject({
      role: 'admin',
      month_limit: '0.5',
      requests_per_minute: 60,
      tokens_per_minute: null,
      models: ['sim-text-only'],
      expires_at: '2999-01-01T09:30:00+09:00',
      nickname: '이수민',
    });
    await page.getByRole('dialog').getByText('0 / 0.5').waitFor();
    expect(troubles).toEqual([]);
  });

  test('removing a member says what happens to their keys, and they leave the list', async () => {
    await gateway.admin('members.add', { email: 'gone@example.com', role: 'member' });
    await gateway.admin('keys.create', { name: 'gone', kind: 'personal', email: 'gone@example.com' });
    const { page, troubles } = await browser.open(`${MEMBERS}?member=gone@example.com`, { email: BOSS });
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Their personal key stops working within about a second, for good.').waitFor();
    await page.getByRole('button', { name: 'Remove the member' }).click();
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: new RegExp(`^${ANN}`) }).waitFor();
    expect(await page.getByText('gone@example.com').count()).toBe(0);
    expect(await memberNamed('gone@example.com')).toBeUndefined();
    expect((await gateway.admin('keys.get', { name: 'gone' })).state).toBe('disabled');
    expect(troubles).toEqual([]);
  });

  test('removing an administrator shows their tokens, which end unless the remover keeps them', async () => {
    const email = 'leaves@example.com';
    await gateway.admin('members.add', { email, role: 'admin' });
    const { code } = await gateway.admin('people.link', { email });
    const entered = await new ConsoleVisitor(gateway.url, '').send('POST', '/api/console/session/link', {
      body: { code, keep: 'token' },
    });
    const own = new AdminClient(gateway, entered.body.token);
    for (const name of ['deploy', 'backup'])
      await own.call('tokens.create', { space: 'acme', name, access: 'write' });
    const { page, troubles } = await browser.open(`${MEMBERS}?member=${email}`, { email: BOSS });
    await page.getByRole('button', { name: 'Change role' }).click();
    await page
      .getByRole('dialog', { name: /^Role of/ })
      .getByLabel('Role', { exact: true })
      .selectOption('member');
    await page.getByText('backup (read and write, acme)').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('deploy (read and write, acme)').waitFor();
    await page.getByLabel('Keep them: I answer for them from now on').check();
    await page.getByRole('button', { name: 'Remove the member' }).click();
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    const { data } = await gateway.admin('tokens.list', { owner: BOSS });
    expect(data.map(({ name, created_by, active }) => [name, created_by, active])).toEqual([
      ['backup', email, true],
      ['deploy', email, true],
    ]);
    expect(troubles).toEqual([]);
  });

  test('an invitation link is shown once, is accepted by someone new, and the list marks them unconfirmed', async () => {
    const { page, troubles } = await browser.open(`${MEMBERS}?tab=invitations`, { email: BOSS });
    await page.getByRole('button', { name: 'Invite someone' }).click();
    await page.getByRole('dialog').getByLabel('E-mail').fill('new@example.com');
    await page.getByRole('button', { name: 'Create the link' }).click();
    const link = page.locator('dialog code').filter({ hasText: '/console/sign-in#iv_' });
    const code = (await link.textContent())?.split('#')[1];
    await page.getByRole('button', { name: 'Copy the link' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('new@example.com').waitFor();
    const reply = await fetch(`${gateway.url}/api/console/invitations/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, password: PASSWORD, keep: 'token' }),
    });
    expect(reply.status).toBe(200);
    await page.getByRole('tab', { name: 'Members' }).click();
    const row = page.locator('tr').filter({ hasText: 'new@example.com' });
    await row.getByText('unconfirmed').waitFor();
    expect(troubles).toEqual([]);
  });

  test('an open invitation is revoked', async () => {
    await gateway.admin('invitations.create', { email: 'late@example.com', role: 'member' });
    const { page, troubles } = await browser.open(`${MEMBERS}?tab=invitations`, { email: BOSS });
    await page.getByRole('button', { name: 'Revoke the invitation of late@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    const row = page.locator('tr').filter({ hasText: 'late@example.com' });
    await row.getByText('revoked').waitFor();
    expect(troubles).toEqual([]);
  });

  test('only an operator can create sign-in links for members', async () => {
    await gateway.admin('operators.add', { email: 'ops@example.com', password: PASSWORD });
    const admin = await browser.open(`${MEMBERS}?member=${ANN}`, { email: BOSS });
    await admin.page.getByRole('button', { name: 'Change role' }).waitFor();
    expect(await admin.page.getByRole('button', { name: 'Create sign-in link' }).count()).toBe(0);
    const { page } = await browser.open(`${MEMBERS}?member=${ANN}`, { email: 'ops@example.com' });
    await page.getByRole('button', { name: 'Create sign-in link' }).click();
    await page.getByRole('button', { name: 'Create the link' }).click();
    await page.locator('dialog code').filter({ hasText: '/console/sign-in#sl_' }).waitFor();
  });

  test('a member sees that the page is for administrators, and nothing is asked of the API', async () => {
    const { page, troubles } = await browser.open(MEMBERS, { email: ANN });
    await page.getByText('Only administrators of the space see this page.').waitFor();
    expect(await page.getByRole('link', { name: 'Members' }).count()).toBe(0);
    expect(troubles).toEqual([]);
  });
});
