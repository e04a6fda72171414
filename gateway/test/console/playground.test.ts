/** The playground in a real browser: calls of every kind, side by side, with exact costs. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { hasBrowser } from '../support/browser-pages.ts';
import { type ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import type { TestGateway } from '../support/gateway.ts';
import { ANN, answerOf, PLAYGROUND, PlaygroundStage, send } from '../support/playground-stage.ts';

const run = promisify(execFile);

describe.skipIf(!hasBrowser)('the playground', () => {
  let stage: PlaygroundStage;
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    stage = await PlaygroundStage.start();
    ({ gateway, browser } = stage);
  });
  afterAll(() => stage?.stop());

  test.each(looks)(
    'is sound at $width px, $theme, $language, with a key of its own and an answer',
    async (look) => {
      const opened = await browser.open(`${PLAYGROUND}?models=sim-chat,sim-text-only`, {
        email: ANN,
        ...look,
      });
      const { page } = opened;
      await page.getByRole('button', { name: /Create a playground key|플레이그라운드 키 만들기/ }).click();
      await page.getByRole('button', { name: /^(?:Send|보내기)$/ }).click();
      await page.locator('section[data-phase=answered]').nth(1).waitFor();
      await expectSound(opened);
      await page.getByRole('button', { name: /View code|코드 보기/ }).click();
      await page.getByRole('dialog').waitFor();
      await expectSound(opened);
      const keys = await gateway.admin('keys.list', { space: 'acme', email: ANN });
      const made = keys.data.find(({ name }) => name.startsWith('playground-'));
      const days = (Date.parse(made?.expires_at ?? '') - Date.parse(made?.created_at ?? '')) / 86_400_000;
      expect([made?.kind, Math.round(days)]).toEqual(['personal', 1]);
    },
  );

  test.each(['chat', 'responses', 'messages'])(
    'the units under a %s answer are the charged amount, digit for digit',
    async (mode) => {
      const { page, troubles } = await stage.ready(`?models=sim-chat-classic&mode=${mode}`);
      await send(page, 'Reply with exactly: 통행료 gate 🚧');
      await page.locator('section[data-phase=answered]').waitFor();
      expect(await answerOf(page, 'sim-chat-classic').locator('p').first().textContent()).toBe(
        '통행료 gate 🚧',
      );
      const [shown, charged] = await stage.costs(answerOf(page, 'sim-chat-classic'));
      expect(shown).toBe(charged);
      expect(shown).toMatch(/^0\.0000\d+$/);
      expect(troubles).toEqual([]);
    },
  );

  test('embeddings and images are called too, and an unknown cost is not zero', async () => {
    const { page, troubles } = await stage.ready('?models=sim-embed');
    await page.getByLabel('Text', { exact: true }).fill('harbour');
    await page.getByLabel('Dimensions').fill('16');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('A vector of 16 numbers').waitFor();
    const [shown, charged] = await stage.costs(answerOf(page, 'sim-embed'));
    expect(shown).toBe(charged);
    await page.getByLabel('Model 1').selectOption('sim-image');
    await page.getByRole('tab', { name: 'Image' }).waitFor();
    await send(page, 'A harbour');
    await page.getByRole('img', { name: 'Image made by sim-image' }).waitFor();
    expect((await stage.costs(answerOf(page, 'sim-image')))[0]).toBe('unknown');
    expect(troubles).toEqual([]);
  });

  test('Stop ends the calls at their providers, and what was produced is charged', async () => {
    const { page } = await stage.ready('?models=sim-chat,sim-text-only');
    await send(page, 'Write 5000 words.');
    await page.locator('section[data-phase=answering]').nth(1).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('section[data-phase=stopped]').nth(1).waitFor();
    for (const model of ['sim-chat', 'sim-text-only']) {
      const call = await gateway.simulator.waitFor((seen) => seen.text.includes(model) && seen.aborted);
      expect(call.finished).toBe(false);
      const id = await answerOf(page, model).getByRole('link').locator('code').textContent();
      await expect
        .poll(() => gateway.query(sql`select outcome, cost > 0 as charged from calls where id = ${id}`))
        .toEqual([{ outcome: 'partial', charged: true }]);
    }
  });

  test('what a model says is text, whatever it looks like', async () => {
    const { page, troubles } = await stage.ready();
    const payload = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
    await send(page, `Reply with exactly: ${payload}`);
    await page.locator('section[data-phase=answered]').waitFor();
    expect(await answerOf(page, 'sim-chat').locator('p').first().textContent()).toBe(payload);
    expect(await page.locator('section[data-phase] img').count()).toBe(0);
    expect(await page.title()).toBe('Playground · Tollgate');
    expect(troubles).toEqual([]);
  });

  test('a tool is called, and JSON that is wrong names its line', async () => {
    const { page } = await stage.ready();
    await page.getByLabel('Tools').fill('[\n  {"type": "function",\n  oops}\n]');
    await page.getByText(/^Line 3: /).waitFor();
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await page.getByLabel('Tools').fill('{}');
    await page.getByText('Tools must be a list').waitFor();
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }];
    await page.getByLabel('Tools').fill(JSON.stringify(tools, null, 2));
    await send(page, 'Use get_weather');
    await page.getByText('Calls get_weather').waitFor();
  });

  test('the code of a request makes the same request', async () => {
    const { page } = await stage.ready('?models=sim-chat&temperature=0.5&max=50');
    await page.getByLabel('System prompt').fill("Don't be long.");
    await page.getByLabel('Prompt', { exact: true }).fill('Reply with exactly: from a shell');
    await page.getByRole('button', { name: 'View code' }).click();
    const curl = await page.getByRole('dialog').locator('pre').textContent();
    const env = { ...process.env, TOLLGATE_KEY: gateway.key };
    const { stdout } = await run('sh', ['-c', `${curl} -s`], { env });
    expect(stdout).toContain('[DONE]');
    const seen = await gateway.simulator.waitFor(
      (call) => call.text.includes('from a shell') && call.finished,
    );
    expect(JSON.parse(seen.text)).toMatchObject({ temperature: 0.5, stream: true });
    await page.getByRole('tab', { name: 'TypeScript' }).click();
    expect(await page.getByRole('dialog').locator('pre').textContent()).toContain('"temperature": 0.5');
  });

  test('models, kind and settings are in the address, and prompts and keys are not', async () => {
    const { page } = await stage.ready();
    await page.getByRole('tab', { name: 'Messages' }).click();
    await page.getByRole('button', { name: 'Compare with another model' }).click();
    await page.getByLabel('Model 2').selectOption('sim-text-only');
    await page.getByLabel('Temperature').fill('0.7');
    await page.getByLabel('System prompt').fill('secret instructions');
    await page.getByLabel('Prompt', { exact: true }).fill('secret question');
    await page.waitForURL(/temperature=0\.7/);
    const address = new URL(page.url());
    expect(Object.fromEntries(address.searchParams)).toEqual({
      mode: 'messages',
      models: 'sim-chat,sim-text-only',
      temperature: '0.7',
    });
    await page.reload();
    await page.getByRole('tab', { name: 'Messages', selected: true }).waitFor();
    expect(await page.getByLabel('Model 2').inputValue()).toBe('sim-text-only');
    expect(await page.getByLabel('Temperature').inputValue()).toBe('0.7');
  });

  test.each([
    [
      'a call that failed at its provider',
      { model: 'sim-chat', input: '[[fault error-422]] Hi' },
      'It failed',
    ],
    ['a request that was rejected', { model: 'nothing', input: 'Hi' }, 'It was rejected'],
  ])('%s is opened again as what it was', async (_, body, words) => {
    const { key } = await gateway.admin('keys.create', {
      name: words.replaceAll(' ', '-'),
      kind: 'personal',
      email: ANN,
    });
    const reply = await gateway.post('/v1/responses', body, { authorization: `Bearer ${key}` });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    await reply.text();
    const id = reply.headers.get('x-request-id') as string;
    const { page } = await browser.open(`${PLAYGROUND}?request=${id}`, { email: ANN });
    await page.getByText(`${words}: `).waitFor();
  });

  test('a logged request is opened again as far as it is recorded', async () => {
    const { key } = await gateway.admin('keys.create', { name: 'anns', kind: 'personal', email: ANN });
    const reply = await gateway.post(
      '/v1/responses',
      { model: 'sim-text-only', input: 'Hello' },
      { authorization: `Bearer ${key}` },
    );
    const id = reply.headers.get('x-request-id') as string;
    await reply.text();
    const { page, troubles } = await browser.open(`${PLAYGROUND}?request=${id}`, { email: ANN });
    await page.getByText(`Settings of request ${id}`).waitFor();
    await page.getByText('Prompts, answers and other settings are not stored').waitFor();
    expect(await page.getByLabel('Model 1').inputValue()).toBe('sim-text-only');
    await page.getByRole('tab', { name: 'Responses', selected: true }).waitFor();
    expect(troubles).toEqual([]);
  });
});
