/** The page of jobs and references in a real browser: upload, timeline, player and cancellation. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser-pages.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { png } from '../support/images-stage.ts';
import { VideoStage, videoConfig } from '../support/video-jobs-stage.ts';

const ANN = 'ann@example.com';
const BOB = 'bob@example.com';
const ADMIN = 'admin@example.com';
const PAGE = '/spaces/acme/jobs';
const PAYLOAD = `<img src=x onerror="document.title='broken'">.png`;

describe.skipIf(!hasBrowser)('the page of jobs and references', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  let anns: VideoStage;
  let done: string;
  beforeAll(async () => {
    gateway = await startGateway({ config: videoConfig() });
    for (const [email, role] of [
      [ANN, 'member'],
      [BOB, 'member'],
      [ADMIN, 'admin'],
    ] as const)
      await gateway.admin('members.add', { space: 'acme', email, role });
    const { key } = await gateway.admin('keys.create', { name: 'anns', kind: 'personal', email: ANN });
    anns = new VideoStage(gateway, key);
    done = (await anns.created('a red kite')).id;
    browser = new ConsoleBrowser(gateway);
    await anns.ended(done);
  });
  afterAll(() => gateway.stop());

  async function withKey(page: Page): Promise<void> {
    await page.getByRole('button', { name: /Create a key for this page|이 페이지용 키 만들기/ }).click();
    await page.getByRole('button', { name: /Use another key|다른 키 사용/ }).waitFor();
  }

  test.each(looks)(
    'is sound at $width px, $theme, $language, on every tab and with an open job',
    async (look) => {
      const opened = await browser.open(PAGE, { email: ANN, ...look });
      const { page } = opened;
      await page.getByRole('button', { name: done }).waitFor();
      await expectSound(opened);
      await withKey(page);
      await page.getByRole('tab', { name: /References|참조 파일/ }).click();
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png });
      await page
        .getByText(/^svc-file:/)
        .first()
        .waitFor();
      await expectSound(opened);
      await page.getByRole('tab', { name: /Media|미디어/ }).click();
      await page.getByRole('button', { name: /^media_|^med_/ }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /Show the video|동영상 보기/ })
        .click();
      await page.locator('video').waitFor();
      await expectSound(opened);
    },
  );

  test('an uploaded reference is ready to copy and works in a call; its name is text', async () => {
    const { page, troubles } = await browser.open(`${PAGE}?tab=references`, { email: ANN, clipboard: true });
    await page.getByText('Choose a key above to upload a file.').waitFor();
    await withKey(page);
    const field = page.locator('input[type=file]');
    await field.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
    await page.getByText('a.txt is not an image, video or audio file').waitFor();
    await field.setInputFiles({ name: PAYLOAD, mimeType: 'image/png', buffer: png });
    await page.getByText(PAYLOAD, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Copy the reference' }).first().click();
    const reference = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(reference).toMatch(/^svc-file:\/\/\w+$/);
    const { status } = await anns.create({ prompt: 'from a picture', image_url: reference });
    expect(status).toBe(200);
    expect(await page.title()).toBe('Jobs & references · Tollgate');
    expect(troubles).toEqual([]);
  });

  test('a job shows its timeline and exact cost, and its video plays', async () => {
    const { page, troubles } = await browser.open(PAGE, { email: ANN });
    await withKey(page);
    await page.getByRole('button', { name: done }).click();
    await page.waitForURL(new RegExp(`job=${done}`));
    const dialog = page.getByRole('dialog');
    const job = await anns.get(done);
    await dialog.getByText(`${job.estimated_cost?.amount} units`).waitFor();
    expect(await dialog.locator('ol li[data-done=true]').count()).toBe(3);
    await dialog.getByRole('button', { name: 'Show the video' }).click();
    await page.locator('video').waitFor();
    await expect.poll(() => page.evaluate(`document.querySelector('video').videoWidth`)).toBeGreaterThan(0);
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    expect(troubles).toEqual([]);
  });

  test('the owner cancels a job; an administrator sees it, and can neither cancel it nor play its video', async () => {
    const running = await anns.created('[[delay 60000]] a slow kite', { model: 'film-nowhere' });
    const admin = await browser.open(`${PAGE}?job=${running.id}`, { email: ADMIN });
    await admin.page.getByText(`Only ${ANN} can show its files or cancel it.`).waitFor();
    expect(await admin.page.getByRole('button', { name: 'Cancel the job' }).count()).toBe(0);
    await admin.page.goto(`${gateway.url}/console${PAGE}?job=${done}`);
    await admin.page.getByText(`Only ${ANN} can show its files or cancel it.`).waitFor();
    expect(await admin.page.getByRole('button', { name: 'Show the video' }).count()).toBe(0);
    const bob = await browser.open(`${PAGE}?job=${running.id}`, { email: BOB });
    await bob.page.getByText('There are no jobs yet').waitFor();
    const { page } = await browser.open(PAGE, { email: ANN });
    await withKey(page);
    await page.getByRole('button', { name: running.id }).click();
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByText('The provider is asked to stop.').waitFor();
    await page
      .getByRole('dialog', { name: 'Cancel this job?' })
      .getByRole('button', { name: 'Cancel the job' })
      .click();
    await anns.until(running.id, ({ status }) => status === 'cancelled');
    await page.getByRole('dialog').getByText('cancelled').waitFor();
  });
});
