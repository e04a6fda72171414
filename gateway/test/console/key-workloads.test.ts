/** The workloads of a key in a real browser: adding and removing rules, and who sees them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser-pages.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import { OPS } from '../support/console-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { TestIssuer } from '../support/workload-issuer.ts';

const ADMIN = 'adam@example.com';
const NAMESPACE = 'system:serviceaccount:team-a';
const LONG = `${NAMESPACE}:${'a-service-with-a-long-name-'.repeat(4)}`;

describe.skipIf(!hasBrowser)('the workloads of a key', () => {
  let gateway: TestGateway;
  let issuer: TestIssuer;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    issuer = await TestIssuer.start();
    const issuers = [{ name: 'cluster', issuer: issuer.url, audience: 'tollgate' }];
    gateway = await startGateway({ config: changeConfig(testConfig(), { workload_identity: { issuers } }) });
    await gateway.admin('operators.add', { email: OPS, password: 'correct horse battery' });
    await gateway.admin('spaces.create', { name: 'lab', overage: true });
    for (const space of ['acme', 'lab']) {
      await gateway.admin('members.add', { space, email: ADMIN, role: 'admin' });
      await gateway.admin('keys.create', { space, name: 'api', kind: 'shared' });
    }
    await gateway.admin('keys.create', { space: 'acme', name: 'laptop', kind: 'personal', email: ADMIN });
    const given = { space: 'acme', issuer: 'cluster', subjects: `${NAMESPACE}:*` };
    await gateway.admin('workloadSubjects.give', given);
    const claims = ['environment=production', 'ref=refs/heads/*'];
    const rule = { space: 'acme', key: 'test', issuer: 'cluster', subject: LONG, claims };
    await gateway.admin('workloads.add', rule);
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(async () => {
    await gateway.stop();
    await issuer.stop();
  });

  test.each(looks)('are sound at $width px, $theme, $language', async (look) => {
    const opened = await browser.open('/spaces/acme/keys?key=test', { email: ADMIN, ...look });
    const { page } = opened;
    await page.getByText(LONG).waitFor();
    await page.getByText(/^cluster · .*environment=production/).waitFor();
    await expectSound(opened);
    await page.getByRole('button', { name: /^(?:Add a workload|워크로드 추가)$/ }).click();
    await page.locator('textarea').waitFor();
    await expectSound(opened);
  });

  test('are added and removed by an administrator, and tokens are accepted for as long', async () => {
    const token = issuer.token(`${NAMESPACE}:api`, { claims: { ref: 'refs/heads/main' } });
    const status = async (): Promise<number> => {
      const body = { model: 'sim-chat', messages: [{ role: 'user', content: 'hello' }] };
      return (await gateway.chat(body, { authorization: `Bearer ${token}` })).status;
    };
    expect(await status()).toBe(401);
    const { page, troubles } = await browser.open('/spaces/acme/keys?key=api', { email: ADMIN });
    await page.getByText('No workload calls as this key.').waitFor();
    await page.getByRole('button', { name: 'Add a workload' }).click();
    const form = page.getByRole('dialog', { name: 'Add a workload for api' });
    expect(await form.getByLabel('Issuer').inputValue()).toBe('cluster');
    await form.getByText(`This space may use: ${NAMESPACE}:*.`).waitFor();
    await form.getByLabel('Subject').fill(`${NAMESPACE}:api`);
    await form.getByLabel('Claims (optional)').fill('ref=refs/heads/main\n\n');
    await form.getByRole('button', { name: 'Add' }).click();
    const remove = page.getByRole('button', { name: `Remove the rule for ${NAMESPACE}:api` });
    await remove.waitFor();
    const { data } = await gateway.admin('workloads.list', { space: 'acme', key: 'api' });
    const added = { subject: `${NAMESPACE}:api`, claims: ['ref=refs/heads/main'], created_by: ADMIN };
    expect(data).toMatchObject([added]);
    expect(await status()).toBe(200);
    await remove.click();
    const question = page.getByRole('dialog', { name: `Remove the rule for ${NAMESPACE}:api?` });
    await question.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No workload calls as this key.').waitFor();
    expect(await status()).toBe(401);
    expect(troubles).toEqual([]);
  });

  test('of other spaces cannot be added: the page shows why, and keeps what was typed', async () => {
    const { page } = await browser.open('/spaces/acme/keys?key=api', { email: ADMIN });
    await page.getByRole('button', { name: 'Add a workload' }).click();
    const form = page.getByRole('dialog', { name: 'Add a workload for api' });
    await form.getByLabel('Subject').fill('system:serviceaccount:team-b:api');
    await form.getByRole('button', { name: 'Add' }).click();
    await form.getByText(/acme may not use the subject .*team-b:api of cluster/).waitFor();
    expect(await form.getByLabel('Subject').inputValue()).toContain('team-b');
  });

  test('are not offered to a space without subjects, but to its operator, and never for a personal key', async () => {
    const { page } = await browser.open('/spaces/lab/keys?key=api', { email: ADMIN });
    const subjects = page.waitForResponse((reply) => reply.url().includes('/workload-subjects'));
    await page.reload();
    await (await subjects).finished();
    // What is drawn after the answer is there when the dialog that was asked for later is.
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog', { name: 'Rotate api' }).waitFor();
    expect(await page.getByText('Workloads').count()).toBe(0);
    const { page: ofOperator } = await browser.open('/spaces/lab/keys?key=api', { email: OPS });
    await ofOperator.getByRole('button', { name: 'Add a workload' }).waitFor();
    const { page: personal, troubles } = await browser.open('/spaces/acme/keys?key=laptop', { email: ADMIN });
    await personal.getByRole('dialog', { name: 'laptop' }).getByText('Created by').waitFor();
    expect(await personal.getByText('Workloads').count()).toBe(0);
    expect(troubles).toEqual([]);
  });
});
