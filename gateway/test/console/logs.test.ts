/** The log viewer in a real browser, against streams that are written, cut and rejected by hand. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, installClock } from '../support/browser-pages.ts';

import { drawnTexts, LogViewers, seenLines, seenState } from '../support/log-viewer.ts';
import { PodFiles } from '../support/pod-files.ts';

describe.skipIf(!hasBrowser)('the connection of the log viewer', () => {
  let viewers: LogViewers;
  beforeAll(async () => {
    viewers = await LogViewers.start();
  });
  afterAll(() => viewers?.stop());

  const status = (page: Page) => page.getByRole('status').first();

  test('goes from connecting to live, says when nothing comes, and shows lines', async () => {
    const { page, stream } = await viewers.view();
    await installClock(page);
    await seenState(page, 'connecting');
    stream.open();
    await seenState(page, 'live');
    await page.clock.fastForward(3_000);
    await status(page).getByText('No lines yet, listening').waitFor();
    stream.lines(0, 3);
    await seenLines(page, 3);
    expect(await drawnTexts(page)).toEqual(['line 0', 'line 1', 'line 2']);
    expect(await status(page).textContent()).toBe('Live');
    await page.getByRole('log', { name: 'Log lines' }).waitFor();
  });

  test('keeps its lines when cut, counts down 1, 2, 4, 8, 16 s, fails after five, and reconnects by hand', async () => {
    const { page, project, stream } = await viewers.view();
    await installClock(page);
    stream.lines(0, 5);
    await seenLines(page, 5);
    stream.cut();
    for (const [i, seconds] of [1, 2, 4, 8, 16].entries()) {
      await seenState(page, 'reconnecting', `[data-attempt="${i + 1}"]`);
      await status(page)
        .getByText(`in ${seconds} s (${i + 1}/5)`)
        .waitFor();
      await page.clock.fastForward(seconds * 1000);
      const next = await viewers.logs.next(project);
      expect(next.query.getAll('after')).toEqual(['web-1/app/0@4-1.1']);
      // A 200 alone does not reset the attempts.
      next.open().cut();
    }
    await seenState(page, 'failed', '[data-lines="5"]');
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.getByRole('button', { name: 'Reconnect' }).click();
    (await viewers.logs.next(project)).lines(5, 6);
    await seenLines(page, 6);
    await seenState(page, 'live', '[data-attempt="0"]');
    expect(await drawnTexts(page)).toEqual(['line 0', 'line 1', 'line 2', 'line 3', 'line 4', 'line 5']);
  });

  test('a heartbeat resets the attempts, and Retry-After is honoured', async () => {
    const { page, project, stream } = await viewers.view();
    await installClock(page);
    stream.open().cut();
    await seenState(page, 'reconnecting', '[data-attempt="1"]');
    await page.clock.fastForward(1_000);
    (await viewers.logs.next(project)).answer(503, {}, { 'retry-after': '7' });
    await status(page).getByText('in 7 s (2/5)').waitFor();
    await page.clock.fastForward(7_000);
    const alive = await viewers.logs.next(project);
    alive.event({ event: 'heartbeat' });
    await seenState(page, 'live');
    alive.cut();
    await status(page).getByText('in 1 s (1/5)').waitFor();
  });

  test('{"last":true} ends the stream without a reconnect, and Reconnect continues after the last line', async () => {
    const { page, project, stream } = await viewers.view();
    stream.lines(0, 2).end();
    await seenState(page, 'ended', '[data-lines="2"]');
    await status(page).getByText('The log has ended').waitFor();
    expect(viewers.logs.waiting(project)).toBe(0);
    await page.keyboard.press('r');
    (await viewers.logs.next(project)).lines(2, 3);
    await seenLines(page, 3);
  });

  test.each([
    [401, { detail: 'The session has expired.', error_ref: 'req_401' }, 'The session has expired.'],
    [403, { detail: 'You may not read this.', error_ref: 'req_403' }, 'You may not read this.'],
    [404, { detail: 'There is no such project.', error_ref: 'req_404' }, 'There is no such project.'],
    [
      422,
      { detail: [{ loc: [], msg: 'sinceSeconds is too large', type: 'x' }] },
      'sinceSeconds is too large',
    ],
  ])('a %s is shown with its sentence and is not retried', async (code, body, message) => {
    const { page, project, stream } = await viewers.view();
    stream.answer(code, body);
    await seenState(page, 'failed');
    const note = page.getByRole('alert');
    await note.getByText(message).waitFor();
    if (code !== 422) await note.getByText(`req_${code}`).waitFor();
    expect(await page.getByRole('link', { name: 'Sign in again' }).count()).toBe(code === 401 ? 1 : 0);
    expect(viewers.logs.waiting(project)).toBe(0);
  });

  test('being offline uses up no attempt, and being online again connects at once', async () => {
    const { page, project, stream } = await viewers.view();
    stream.lines(0, 2);
    await seenLines(page, 2);
    await page.context().setOffline(true);
    stream.cut();
    await seenState(page, 'offline', '[data-attempt="0"]');
    await status(page).getByText('There is no network').waitFor();
    await page.context().setOffline(false);
    (await viewers.logs.next(project)).lines(2, 3);
    await seenState(page, 'live', '[data-lines="3"]');
  });

  test('25 s without a byte count as a lost connection', async () => {
    const { page, project, stream } = await viewers.view();
    await installClock(page);
    stream.open();
    await seenState(page, 'live');
    // The wait for the next byte starts with a byte.
    stream.lines(0, 1);
    await seenLines(page, 1);
    await page.clock.fastForward(25_000);
    await seenState(page, 'reconnecting');
    await page.clock.fastForward(1_000);
    (await viewers.logs.next(project)).lines(1, 2);
    await seenLines(page, 2);
  });

  test('if what is read changes twice quickly, only the last stream writes', async () => {
    const { page, project, stream } = await viewers.view();
    stream.lines(0, 3);
    await seenLines(page, 3);
    const since = page.getByRole('combobox', { name: 'From when' });
    await since.selectOption('Last 5 minutes');
    await since.selectOption('Last hour');
    const [second, third] = [await viewers.logs.next(project), await viewers.logs.next(project)];
    expect([second.query.get('sinceSeconds'), third.query.get('sinceSeconds')]).toEqual(['300', '3600']);
    third.lines(100, 102);
    second.lines(50, 60);
    await seenLines(page, 2);
    third.lines(102, 103);
    await seenLines(page, 3);
    expect(await drawnTexts(page)).toEqual(['line 100', 'line 101', 'line 102']);
    expect(new URL(page.url()).searchParams.get('since')).toBe('3600');
  });

  test('gaps are shown between the lines', async () => {
    const { page, stream } = await viewers.view();
    stream.lines(0, 1).event({ event: 'gap', podName: 'web-1', reason: 'the file was removed' }).lines(9, 10);
    await page.locator('[data-event=gap]').waitFor();
    const all = await page.locator('[role=log] [data-place]').allTextContents();
    expect(all.map((text) => text.slice(-44))).toEqual([
      expect.stringContaining('line 0'),
      'es of web-1 may be missing here: the file was removed'.slice(-44),
      expect.stringContaining('line 9'),
    ]);
  });

  test('the real log API is followed through a reconnect, nothing is lost or repeated', async () => {
    const { gateway, browser } = viewers;
    await gateway.admin('projects.add', { space: 'acme', id: 'real-shop' });
    const pod = new PodFiles(`${gateway.folder}/logs`, { project: 'real-shop', pod: 'web-1' });
    pod.lines(0, 10);
    const { page, troubles } = await browser.open('/spaces/acme/logs/real-shop', { email: LogViewers.email });
    await seenLines(page, 10);
    await page.getByRole('button', { name: 'Reconnect' }).click();
    pod.lines(10, 20);
    await seenLines(page, 20);
    expect(await drawnTexts(page)).toEqual(Array.from({ length: 20 }, (_, n) => `line ${n}`));
    expect(troubles).toEqual([]);
  });
});
