/** The list of projects and the logs of builds in a real browser. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, installClock } from '../support/browser-pages.ts';
import { ConsoleBrowser, expectSound, looks, type Opened } from '../support/console-browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { mistyped } from '../support/mistyped.ts';

const ANN = 'ann@example.com';
const OPS = 'ops@example.com';
const PASSWORD = 'correct horse battery';
const NASTY = '<img src=x onerror=alert(1)>';

describe.skipIf(!hasBrowser)('projects and builds', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  let ann: Opened;
  let [finished, running] = ['', ''];

  async function startBuild(project: string, text: string): Promise<string> {
    const { id, log } = await gateway.admin('builds.start', { space: 'acme', project });
    const file = join(gateway.folder, log);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return id;
  }
  const finish = (build: string) =>
    gateway.admin('builds.finish', { space: 'acme', build, status: 'succeeded' });
  const go = async (path: string): Promise<Page> => {
    ann = await browser.open(path, { email: ANN });
    return ann.page;
  };

  beforeAll(async () => {
    gateway = await startGateway();
    await gateway.admin('operators.add', { email: OPS, password: PASSWORD });
    await gateway.admin('members.add', { space: 'acme', email: ANN, role: 'member' });
    for (const name of ['bare', 'single'])
      await gateway
        .admin('spaces.create', { name })
        .then(() => gateway.admin('members.add', { space: name, email: ANN, role: 'member' }));
    await gateway.admin('projects.add', { space: 'single', id: 'alone' });
    await gateway.admin('projects.add', { space: 'acme', id: 'shop', name: NASTY });
    await gateway.admin('projects.add', { space: 'acme', id: 'worker' });
    const lines = Array.from({ length: 3_000 }, (_, i) => `step ${i + 1}`);
    lines[1] = `\u001b[32mgreen\u001b[0m ${NASTY}`;
    finished = await startBuild('shop', `${lines.join('\n')}\n`);
    await finish(finished);
    running = await startBuild('worker', 'half\n');
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  test('the page lists the projects of the space with the state of their last builds', async () => {
    const page = await go('/spaces/acme/logs');
    await page.getByRole('link', { name: NASTY }).waitFor();
    const cells = await page.locator('tbody tr').allTextContents();
    expect(cells).toEqual([
      expect.stringMatching(/^<img.*shop.*succeeded/),
      expect.stringMatching(/^worker.*running/),
    ]);
    await page.getByRole('button', { name: 'Builds shop' }).click();
    await page.getByRole('dialog').getByRole('link', { name: finished }).waitFor();
    expect(new URL(page.url()).searchParams.get('project')).toBe('shop');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'worker' }).click();
    await page.waitForURL(/\/logs\/worker$/);
    expect(ann.troubles).toEqual([]);
  });

  test('an empty space shows the next command to who may use it, and whom to ask to the others', async () => {
    const page = await go('/spaces/bare/logs');
    await page.getByText('Ask an administrator').waitFor();
    expect(await page.getByRole('link', { name: 'Log of the gateway' }).count()).toBe(0);
    const operator = await browser.open('/spaces/bare/logs', { email: OPS });
    await operator.page.getByText('tollgate projects add shop --space bare').waitFor();
  });

  test('a link with a moment leads to the only project, or asks which one', async () => {
    const at = '2026-11-15T03:00:00.000Z';
    const single = await go(`/spaces/single/logs?at=${at}`);
    await single.waitForURL(/\/spaces\/single\/logs\/alone\?at=/);
    const page = await go(`/spaces/acme/logs?at=${at}`);
    await page.getByText('Choose the project whose log at 2026-11-15 12:00:00 KST').waitFor();
    await page.getByRole('link', { name: 'worker' }).click();
    await page.waitForURL(/\/logs\/worker\?at=2026-11-15T03/);
  });

  test('a build log has numbered lines, colours and text that stays text', async () => {
    const page = await go(`/spaces/acme/logs/shop/builds/${finished}`);
    await page.locator('[data-line="2"]').waitFor();
    expect(await page.locator('[data-line="2"]').textContent()).toBe(`2green ${NASTY}`);
    expect(await page.locator('.ansi-fg-2').textContent()).toBe('green');
    expect(await page.locator('[data-line]').count()).toBeLessThan(120);
    expect(ann.troubles).toEqual([]);
  });

  test('a link to a line shows it, and a click on a number makes one', async () => {
    const page = await go(`/spaces/acme/logs/shop/builds/${finished}#L1200`);
    const chosen = page.locator('[data-line="1200"][aria-current]');
    await chosen.waitFor();
    const { y = 0 } = (await chosen.boundingBox()) ?? {};
    expect([y > 0, y < 900]).toEqual([true, true]);
    await page.getByRole('link', { name: '1203' }).click();
    await page.locator('[data-line="1203"][aria-current]').waitFor();
    expect(new URL(page.url()).hash).toBe('#L1203');
  });

  test('a running build is waited for quietly', async () => {
    const page = await go(`/spaces/acme/logs/worker/builds/${running}`);
    await installClock(page);
    await page.getByText('still running').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await finish(running);
    await page.clock.fastForward(5_000);
    await page.locator('[data-line="1"]').getByText('half').waitFor();
  });

  test('a build of another space is like one that does not exist', async () => {
    await gateway.admin('spaces.create', { name: 'other' });
    await gateway.admin('projects.add', { space: 'other', id: 'other-shop' });
    const { id } = await gateway.admin('builds.start', { space: 'other', project: 'other-shop' });
    const notes: string[] = [];
    for (const build of [id, mistyped(id)]) {
      const page = await go(`/spaces/acme/logs/shop/builds/${build}`);
      notes.push((await page.getByRole('alert').locator('p').first().textContent()) ?? '');
    }
    expect(notes[0]).toBe('There is no such build, or it is not yours to see.');
    expect(notes[1]).toBe(notes[0]);
  });

  test.each(looks)('the pages are sound at $width px, $theme, $language', async (look) => {
    const opened = await browser.open('/spaces/acme/logs', { email: ANN, ...look });
    await opened.page.locator('tbody tr').first().waitFor();
    await expectSound(opened);
    await opened.page.goto(`${gateway.url}/console/spaces/acme/logs/shop/builds/${finished}`);
    await opened.page.locator('[data-line="2"]').waitFor();
    await expectSound(opened);
  });
});
