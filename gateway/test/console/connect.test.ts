/** The Connect page of somebody who is signed in: a key of their own, and the first call that turns it green. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentSamples } from '../../src/contract/agent-samples.ts';
import { hasBrowser } from '../support/browser-pages.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const ANN = 'ann@example.com';
const PAGE = '/spaces/acme/connect';

describe.skipIf(!hasBrowser)('the Connect page of a member', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    gateway = await startGateway();
    await gateway.admin('members.add', { space: 'acme', email: ANN, role: 'member' });
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  test.each(looks)('is sound at $width px, $theme, $language, with a key and a first call', async (look) => {
    const opened = await browser.open(`${PAGE}?code=agents`, { email: ANN, ...look });
    const { page } = opened;
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectSound(opened);
    await page.getByRole('button', { name: /Create a key for me|내 키 만들기/ }).click();
    await page.getByRole('radio', { name: 'sim-chat', exact: true }).waitFor();
    await page.getByRole('button', { name: /^(?:Send|보내기)$/ }).click();
    await page.locator('.first-call.worked').waitFor();
    await expectSound(opened);
  });

  test('the first call turns it green by itself, wherever it was made, and shows its cost to the last digit', async () => {
    const { page, troubles } = await browser.open(PAGE, { email: ANN });
    await page.getByText('Connect with a key; then every call').waitFor();
    const created = page.waitForResponse((reply) => reply.request().method() === 'POST');
    await page.getByRole('button', { name: 'Create a key for me' }).click();
    const { key, name } = (await (await created).json()) as { key: string; name: string };
    await page.getByText('Run the code above or send the prompt.').waitFor();
    expect(await page.locator('.first-call').getAttribute('class')).toContain('waits');
    const reply = await gateway.chat(
      { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] },
      { authorization: `Bearer ${key}` },
    );
    const { estimated_cost: cost } = (await reply.json()) as { estimated_cost: { amount: string } };
    await page.locator('.first-call.worked').waitFor();
    expect(await page.locator('.first-call .measures').textContent()).toContain(`${cost.amount} units`);
    expect(await page.getByRole('link', { name: 'Open the request' }).getAttribute('href')).toContain(
      reply.headers.get('x-request-id') as string,
    );
    const made = await gateway.admin('keys.get', { space: 'acme', name });
    const days = (Date.parse(made.expires_at) - Date.parse(made.created_at)) / 86_400_000;
    expect([made.kind, made.owner, Math.round(days)]).toEqual(['personal', ANN, 30]);
    expect(troubles).toEqual([]);
  });

  test('a first call that fails is not green', async () => {
    const { page } = await browser.open(PAGE, { email: ANN });
    const created = page.waitForResponse((reply) => reply.request().method() === 'POST');
    await page.getByRole('button', { name: 'Create a key for me' }).click();
    const { key } = (await (await created).json()) as { key: string };
    await gateway.chat({ model: 'nothing', messages: [] }, { authorization: `Bearer ${key}` });
    await page.getByText('Your call arrived, but it failed:').waitFor();
    expect(await page.locator('.first-call.worked').count()).toBe(0);
  });

  test('both base URLs and the settings of coding agents are ready to copy', async () => {
    const { page } = await browser.open('/connect?code=agents', { clipboard: true });
    await page.getByLabel('Gateway key').fill(gateway.key);
    await page.keyboard.press('Enter');
    await page.getByRole('radio', { name: 'sim-chat', exact: true }).check();
    const copied = async (what: string): Promise<string> => {
      await page.getByRole('button', { name: `Copy ${what}`, exact: true }).click();
      return await page.evaluate('navigator.clipboard.readText()');
    };
    expect(await copied('the base URL')).toBe(`${gateway.url}/v1`);
    expect(await copied('the Anthropic base URL')).toBe(gateway.url);
    const facts = { origin: gateway.url, key: gateway.key, model: 'sim-chat' };
    for (const { label, write } of agentSamples) {
      await page.getByRole('tab', { name: label, exact: true }).click();
      for (const { file, text } of write(facts))
        expect(await copied(file === null ? `the commands for ${label}` : `the settings of ${label}`)).toBe(
          text,
        );
    }
    expect(await page.getByText('Save this as ~/.continue/config.yaml.').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('code')).toBe('continue');
  });

  test('without an account the trial of the page itself turns it green', async () => {
    const { page, troubles } = await browser.open('/connect');
    await page.getByLabel('Gateway key').fill(gateway.key);
    await page.keyboard.press('Enter');
    await page.getByText('Send the prompt above. This turns green by itself.').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.first-call.worked').waitFor();
    const cost = await page.locator('.receipt dd').last().textContent();
    expect(await page.locator('.first-call .measures dd').last().textContent()).toBe(cost);
    expect(troubles).toEqual([]);
  });
});
