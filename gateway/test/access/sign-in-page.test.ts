/** The sign-in page in a real browser. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInvitation } from '../../src/access/create-invitation.ts';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { hasBrowser, takePage } from '../support/browser-pages.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';

const PASSWORD = 'correct horse battery';

describe.skipIf(!hasBrowser)('the sign-in page', () => {
  let gateway: TestGateway;
  let issuer: TestIssuer;
  let db: Database;
  beforeAll(async () => {
    // Another site than 127.0.0.1, so that the browser applies its rules for cookies of other sites.
    issuer = await startIssuer({ host: 'localhost' });
    const client = { client_id: issuer.clientId, client_secret: issuer.clientSecret };
    const corp = { name: 'corp', label: 'Corp', issuer: issuer.url, ...client };
    const config = changeConfig(testConfig(), { sign_in: { issuers: [corp] } });
    const wrapDatabase = (opened: Database): Database => {
      db = opened;
      return opened;
    };
    gateway = await startGateway({ config, wrapDatabase });
    issuer.register(gateway.url, ['corp']);
    await gateway.admin('operators.add', { email: 'ops@example.com', password: PASSWORD });
  });
  afterAll(async () => {
    await gateway.stop();
    await issuer.stop();
  });

  async function visit(fragment: string): Promise<[Page, string[]]> {
    const page = await takePage();
    const troubles: string[] = [];
    page.on('pageerror', (error) => troubles.push(String(error)));
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) troubles.push(message.text());
    });
    await page.goto(`${gateway.url}/console/sign-in${fragment}`);
    return [page, troubles];
  }

  /** Asked by the page itself, with the cookie that no script can read. */
  async function whoAmI(page: Page): Promise<unknown> {
    return await page.evaluate(`fetch('/api/console/session').then((reply) => reply.json())`);
  }

  test('signs in with a link, goes on to the console, and leaves no code in the address', async () => {
    const { code } = await gateway.admin('people.link', { email: 'ops@example.com' });
    const [page, troubles] = await visit(`#${code}`);
    await page.waitForURL(`${gateway.url}/console/spaces/acme/home`);
    expect(await whoAmI(page)).toMatchObject({ person: { email: 'ops@example.com' } });
    expect(await page.evaluate('document.cookie')).toBe('');
    const [again] = await visit(`#${code}`);
    await again.getByText('was already used').waitFor();
    expect(again.url()).not.toContain(code);
    expect(troubles).toEqual([]);
  });

  test('signs in with e-mail and password, and says what is wrong', async () => {
    const [page, troubles] = await visit('');
    await page.getByLabel('E-mail').fill('ops@example.com');
    await page.getByLabel('Password').fill('wrong password');
    await page.keyboard.press('Enter');
    await page.getByText('The e-mail or the password is wrong.').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${gateway.url}/console/spaces/acme/home`);
    expect(await whoAmI(page)).toMatchObject({ person: { email: 'ops@example.com' } });
    expect(troubles).toEqual([]);
  });

  test('signs in with an issuer and continues where it was asked to, but only in the console', async () => {
    issuer.account = { sub: 'ops', email: 'ops@example.com', email_verified: true };
    for (const [wanted, reached] of [
      ['/console/account?from=mail', '/console/account?from=mail'],
      ['https://evil.example/console', '/console/spaces/acme/home'],
    ] as const) {
      const [page, troubles] = await visit(`?return_to=${encodeURIComponent(wanted)}`);
      await page.getByRole('link', { name: 'Sign in with Corp' }).click();
      await page.waitForURL(`${gateway.url}${reached}`);
      expect(await whoAmI(page)).toMatchObject({ person: { email: 'ops@example.com' } });
      expect(troubles).toEqual([]);
    }
  });

  test('shows a page that says why an issuer did not sign in', async () => {
    issuer.account = { sub: 'eve', email: '<b>eve</b>@example.com', email_verified: true };
    const [page, troubles] = await visit('');
    await page.getByRole('link', { name: 'Sign in with Corp' }).click();
    await page.getByText('You signed in at Corp as <b>eve</b>@example.com').waitFor();
    await page.getByRole('link', { name: 'Back to the sign-in page' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(troubles).toEqual([]);
  });

  test('accepts an invitation: someone new chooses a password, and a person who exists signs in first', async () => {
    const [space] = await gateway.query<{ id: string }>(sql`select id from spaces`);
    const wanted = { spaceId: space?.id ?? '', role: 'member', createdBy: 'test' } as const;
    const invite = (email: string) =>
      db.transaction((tx) => createInvitation(tx, { ...wanted, email }, Date.now()));
    const [page, troubles] = await visit(`#${(await invite('kim@example.com')).code}`);
    await page.getByText('You are invited to acme.').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Join acme' }).click();
    await page.waitForURL(`${gateway.url}/console/spaces/acme/home`);
    expect(await whoAmI(page)).toMatchObject({ person: { email: 'kim@example.com' } });
    const { code } = await invite('ops@example.com');
    const [other] = await visit(`#${code}`);
    await other.getByText('Sign in as ops@example.com, then open this link again.').waitFor();
    await other.getByLabel('E-mail').fill('ops@example.com');
    await other.getByLabel('Password').fill(PASSWORD);
    await other.keyboard.press('Enter');
    await other.waitForURL(`${gateway.url}/console/spaces/acme/home`);
    await other.goto(`${gateway.url}/console/sign-in#${code}`);
    await other.getByRole('button', { name: 'Join acme' }).click();
    await other.waitForURL(`${gateway.url}/console/spaces/acme/home`);
    const members = sql`select email from members where person_id is not null order by email`;
    expect(await gateway.query(members)).toEqual([
      { email: 'kim@example.com' },
      { email: 'ops@example.com' },
    ]);
    expect(troubles).toEqual([]);
  });
});
