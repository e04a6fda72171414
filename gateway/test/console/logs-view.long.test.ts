/** What the log viewer does with lines, in a real browser: follow and pause, the buffer, text, pods and search. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser-pages.ts';
import { expectSound, looks } from '../support/console-browser.ts';
import { drawnTexts, firstVisible, LogViewers, pixelsBelow, seenLines } from '../support/log-viewer.ts';
import { lineTime } from '../support/scripted-logs.ts';

describe.skipIf(!hasBrowser)('the lines of the log viewer', () => {
  let viewers: LogViewers;
  beforeAll(async () => {
    viewers = await LogViewers.start();
  });
  afterAll(() => viewers?.stop());

  const paused = (page: Page) => page.locator('[data-follow=false]').waitFor();
  const following = (page: Page) => page.locator('[data-follow=true]').waitFor();
  const drawn = (page: Page, text: string) =>
    page.locator('[role=log] [data-place]', { hasText: text }).first().waitFor();
  const url = (page: Page) => new URL(page.url()).searchParams;

  test('starts at the bottom and follows; its own scrolling never pauses', async () => {
    const { page, stream } = await viewers.view();
    stream.lines(0, 200);
    await drawn(page, 'line 199');
    for (let n = 200; n < 1_400; n += 300) {
      stream.lines(n, n + 300);
      await drawn(page, `line ${n + 299}`);
      expect(await pixelsBelow(page)).toBe(0);
    }
    await page.setViewportSize({ width: 1000, height: 700 });
    stream.lines(1_400, 1_401);
    await drawn(page, 'line 1400');
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await page.locator('[data-follow=true]').count()).toBe(1);
  });

  test('the wheel, keys, a finger, the scroll bar and selecting text pause, and End follows again', async () => {
    const { page, stream } = await viewers.view();
    const log = page.getByRole('log');
    const run = (script: string) =>
      page.evaluate(`((log) => ${script})(document.querySelector('[role=log]'))`);
    const ways: ReadonlyArray<() => Promise<unknown>> = [
      () => page.mouse.wheel(0, -120),
      () => page.keyboard.press('PageUp'),
      () => page.keyboard.press('Home'),
      () => page.keyboard.press(' '),
      // A scroll bar is dragged through many positions.
      () =>
        expect
          .poll(() => run("(log.scrollTop -= 40, log.closest('[data-follow=false]') !== null)"))
          .toBe(true),
      () => run("log.dispatchEvent(new Event('touchmove'))"),
      () => page.locator('[role=log] [data-place]').nth(-5).dblclick(),
      () => page.getByRole('button', { name: 'Pause' }).click(),
    ];
    stream.lines(0, 300);
    await drawn(page, 'line 299');
    for (const [i, pause] of ways.entries()) {
      const n = 300 + 10 * i;
      await log.hover();
      await log.focus();
      await pause();
      await paused(page);
      stream.lines(n, n + 10);
      await page.getByRole('button', { name: '10 new lines' }).waitFor();
      await page.keyboard.press('End');
      await following(page);
      await drawn(page, `line ${n + 9}`);
      expect(await pixelsBelow(page)).toBe(0);
    }
  });

  test('a paused view keeps its pixel through 5,000 new lines; then the stream is held, and nothing is lost', async () => {
    const { page, stream } = await viewers.view();
    stream.lines(0, 1_000);
    await drawn(page, 'line 999');
    await page.getByRole('log').hover();
    await page.mouse.wheel(0, -505);
    await paused(page);
    // The wheel scrolls over several frames.
    await expect.poll(() => pixelsBelow(page)).toBe(505);
    const before = await firstVisible(page);
    for (let n = 1_000; n < 6_000; n += 500) stream.lines(n, n + 500);
    await page.getByText('Stream held').waitFor();
    await seenLines(page, 1_000);
    expect(await firstVisible(page)).toEqual(before);
    const fresh = Number(await page.locator('[data-new]').getAttribute('data-new'));
    expect(fresh).toBeGreaterThan(300);
    // Scrolling up and down again does not move the lines either.
    await page.evaluate(`document.querySelector('[role=log]').scrollTop -= 100`);
    await page.getByText(/new lines/).click();
    await drawn(page, 'line 5999');
    expect(await page.locator('[data-evicted]').getAttribute('data-evicted')).toBe('5000');
    await page.getByText('Stream held').waitFor({ state: 'detached' });
  });

  test('a held stream continues after Clear, and Reconnect keeps what was read', async () => {
    const { page, project, stream } = await viewers.view();
    stream.lines(0, 10);
    await seenLines(page, 10);
    await page.keyboard.press(' ');
    await paused(page);
    stream.lines(10, 1_500);
    await page.getByText('Stream held').waitFor();
    await page.keyboard.press('r');
    const next = await viewers.logs.next(project);
    next.lines(next.after + 1, 1_600);
    await page.keyboard.press('c');
    await seenLines(page, 600);
    expect((await drawnTexts(page))[0]).toBe('line 1000');
    await page.keyboard.press('End');
    await drawn(page, 'line 1599');
  });

  test('after 1,500 lines 1,000 remain, and a marker says what left', async () => {
    const { page, stream } = await viewers.view();
    stream.lines(0, 1_500);
    await drawn(page, 'line 1499');
    await seenLines(page, 1_000);
    await page.keyboard.press('Home');
    await page.getByRole('log').focus();
    await page.keyboard.press('Home');
    await page.getByText('500 earlier lines have left the view').waitFor();
    await drawn(page, 'line 500');
  });

  test('the heap is flat after 100,000 lines', async () => {
    const { page, stream } = await viewers.view();
    const session = await page.context().newCDPSession(page);
    const heap = async (): Promise<number> => {
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    stream.lines(0, 5_000);
    await drawn(page, 'line 4999');
    const before = await heap();
    for (let n = 5_000; n < 100_000; n += 5_000) {
      stream.lines(n, n + 5_000);
      await drawn(page, `line ${n + 4_999}`);
    }
    expect(await heap()).toBeLessThan(before + 3_000_000);
    expect(await page.locator('[role=log] [data-place]').count()).toBeLessThan(100);
  });

  test('text is shown as a terminal shows it: colours, the last state, whole characters, never markup', async () => {
    const { page, stream, troubles } = await viewers.view();
    stream
      .line(0, '\u001b[31mred\u001b[0m and \u001b[1;44mbold\u001b[m \u001b]8;;http://x\u0007link')
      .line(1, '<script>window.broken = 1</script><img src=x onerror=alert(1)>')
      .line(2, '10%\r50%\r100%\r')
      .line(3, '\u001b[31;background:url(x)mtext');
    const bytes = Buffer.from(
      `${JSON.stringify({ content: '한국어 🙂', podName: 'web-1', timeStamp: lineTime(4), last: false, id: 'web-1/app/0@4-1.1' })}\n`,
    );
    const middle = bytes.indexOf(Buffer.from('🙂')) + 2;
    stream.raw(bytes.subarray(0, middle));
    await seenLines(page, 4);
    stream.raw(bytes.subarray(middle));
    await seenLines(page, 5);
    expect(await drawnTexts(page)).toEqual([
      'red and bold link',
      '<script>window.broken = 1</script><img src=x onerror=alert(1)>',
      '100%',
      expect.stringContaining('text'),
      '한국어 🙂',
    ]);
    expect(await page.locator('.ansi-fg-1').first().textContent()).toBe('red');
    expect(await page.locator('.ansi-bold.ansi-bg-4').textContent()).toBe('bold');
    expect(
      await page.evaluate(
        `document.querySelectorAll('[role=log] [style*=url], [role=log] script, [role=log] img').length`,
      ),
    ).toBe(0);
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(troubles).toEqual([]);
  });

  test('JSON expands with all digits, and a line of 1 MiB is cut until it is expanded', async () => {
    const { page, stream } = await viewers.view();
    stream.line(0, '{"level":"info","n":12345678901234567890,"at":[1.0]}').line(1, 'x'.repeat(1024 * 1024));
    await seenLines(page, 2);
    await page.getByRole('button', { name: 'Expand the JSON' }).click();
    await page.getByText('"n": 12345678901234567890,').waitFor();
    await page.getByRole('button', { name: 'Fold the JSON' }).click();
    const long = page.locator('[role=log] [data-place="1"]');
    expect((await long.textContent())?.length).toBeLessThan(2_200);
    await long.getByRole('button', { name: 'Expand (1.0 MB)' }).click();
    await long.getByRole('button', { name: 'Cut again' }).waitFor();
    expect((await long.textContent())?.length).toBeGreaterThan(1024 * 1024);
  });

  test('Clear empties the view only: the stream resumes where it was', async () => {
    const { page, project, stream } = await viewers.view();
    stream.lines(0, 20);
    await seenLines(page, 20);
    await page.getByRole('button', { name: 'Clear' }).click();
    await seenLines(page, 0);
    await page.keyboard.press('r');
    const next = await viewers.logs.next(project);
    expect(next.query.getAll('after')).toEqual(['web-1/app/0@19-1.1']);
    next.lines(20, 21);
    await seenLines(page, 1);
  });

  test('pods have stable colours, join and end, and the filter counts them; new pods are shown unless some were picked', async () => {
    const { page, stream } = await viewers.view();
    const pod = (podName: string, state: string) =>
      stream.event({
        event: 'pod',
        podName,
        container: 'app',
        restart: 0,
        source: `${podName}/app/0`,
        state,
        id: `${podName}/app/0@0-1.1`,
      });
    pod('web-1', 'running');
    pod('web-2', 'running');
    stream.lines(0, 5, 'web-1').lines(5, 8, 'web-2');
    await seenLines(page, 8);
    const colour = (name: string) =>
      page
        .locator('[role=log] [data-place] > span:nth-of-type(1)', { hasText: name })
        .first()
        .getAttribute('style');
    expect(await colour('web-1')).not.toBe(await colour('web-2'));
    pod('web-3', 'joined');
    pod('web-2', 'ended');
    pod('web-2', 'ended');
    stream.lines(8, 10, 'web-3');
    await seenLines(page, 10);
    expect(await page.locator('[data-event]').allTextContents()).toEqual(['web-3 joined', 'web-2 ended']);
    await page.getByRole('button', { name: 'Pods 3/3' }).click();
    await expect
      .poll(() => page.locator('[data-pod]').allTextContents())
      .toEqual([
        expect.stringMatching(/web-15/),
        expect.stringMatching(/web-2ended3/),
        expect.stringMatching(/web-32/),
      ]);
    await page.getByRole('checkbox', { name: /web-2/ }).check();
    await expect.poll(() => drawnTexts(page)).toEqual(['line 5', 'line 6', 'line 7']);
    pod('web-4', 'joined');
    stream.lines(10, 11, 'web-4');
    await seenLines(page, 11);
    expect(await drawnTexts(page)).toEqual(['line 5', 'line 6', 'line 7']);
    expect(url(page).get('pods')).toBe('web-2');
    await page.getByRole('button', { name: 'Show all pods' }).click();
    await drawn(page, 'line 10');
  });

  test('one pod or container can be read alone', async () => {
    const { page, project, stream } = await viewers.view();
    stream.event({ event: 'pod', podName: 'web-1', container: 'app', source: 'a', state: 'running' });
    stream.event({ event: 'pod', podName: 'web-1', container: 'proxy', source: 'b', state: 'running' });
    stream.lines(0, 1);
    await seenLines(page, 1);
    await page.getByRole('combobox', { name: 'Container' }).selectOption('proxy');
    const second = await viewers.logs.next(project);
    expect(second.query.get('container')).toBe('proxy');
    second.lines(0, 1);
    await seenLines(page, 1);
    await page.getByRole('button', { name: 'Pods 1/1' }).click();
    await page.getByRole('button', { name: 'Only web-1' }).click();
    expect((await viewers.logs.next(project)).query.get('podName')).toBe('web-1');
    await page.getByRole('button', { name: 'Only web-1 ✕' }).click();
    expect((await viewers.logs.next(project)).query.get('podName')).toBeNull();
  });

  test('search highlights, counts, goes to matches with n and N, filters, and is in the address', async () => {
    const { page, stream } = await viewers.view();
    stream.lines(0, 400);
    await drawn(page, 'line 399');
    await page.keyboard.press('/');
    await page.keyboard.type('LINE 39');
    await page.getByText('–/11').waitFor();
    expect(await page.locator('[role=log] mark').first().textContent()).toBe('line 39');
    // Shortcuts do nothing while somebody types.
    await page.keyboard.type('cwt');
    await page.getByText('–/0').waitFor();
    await seenLines(page, 400);
    for (const _ of 'cwt') await page.keyboard.press('Backspace');
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await page.getByText('1/11').waitFor();
    await page.locator('[data-place="39"]').waitFor();
    await page.keyboard.press('n');
    await page.getByText('2/11').waitFor();
    await page.keyboard.press('Shift+N');
    await page.keyboard.press('Shift+N');
    await page.getByText('11/11').waitFor();
    await paused(page);
    await page.getByRole('checkbox', { name: 'Only matches' }).check();
    await expect.poll(async () => (await drawnTexts(page)).length).toBe(11);
    expect([url(page).get('q'), url(page).get('show')]).toEqual(['LINE 39', 'matches']);
  });

  test('wrap and timestamps change by keys and are in the address', async () => {
    const { page, stream } = await viewers.view();
    stream.line(0, 'word '.repeat(300)).lines(1, 3);
    await seenLines(page, 3);
    const time = () => page.locator('[data-place="1"] time').textContent();
    expect(await time()).toBe('11-15 12:00:00.001');
    const height = () => page.evaluate(`document.querySelector('[data-place="0"]').offsetHeight`);
    expect(await height()).toBe(20);
    await page.keyboard.press('w');
    await expect.poll(height).toBeGreaterThan(40);
    expect(await pixelsBelow(page)).toBe(0);
    await page.keyboard.press('t');
    await expect.poll(time).toBe('11-15 03:00:00.001');
    await page.keyboard.press('t');
    await expect.poll(time).toBe('11-15 04:00:00.001');
    await page.keyboard.press('t');
    await page.locator('[data-place="1"] time').waitFor({ state: 'detached' });
    expect([url(page).get('wrap'), url(page).get('time')]).toEqual(['on', 'off']);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Pause or follow').waitFor();
  });

  test('the shown lines are copied and downloaded', async () => {
    const { page, project, stream } = await viewers.view('?q=line+1&show=matches');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    stream.lines(0, 3);
    await seenLines(page, 3);
    const text = `${lineTime(1).replace('Z', '000000Z')} web-1 line 1\n`;
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(text);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(new RegExp(`^${project}-\\d{4}-.*\\.log$`));
    expect(readFileSync(await file.path(), 'utf8')).toBe(text);
  });

  test('a moment in the address is shown with the lines around it, also in a busy log', async () => {
    const { page, stream } = await viewers.view(`?at=${lineTime(3_000)}`);
    expect(Number(stream.query.get('sinceSeconds'))).toBeGreaterThan(60);
    expect(stream.query.get('tailLines')).toBeNull();
    stream.lines(0, 9_000).event({ event: 'caught_up' });
    await page.getByText('Stream held').waitFor();
    await paused(page);
    const current = page.locator('[data-place][class*=current]');
    await current.getByText('line 3000', { exact: true }).waitFor();
    expect((await drawnTexts(page)).includes('line 2995')).toBe(true);
    await page.keyboard.press('End');
    await drawn(page, 'line 8999');
  });

  test('a moment without lines says so, in the zone of the timestamps', async () => {
    const moment = '2026-11-15T02:00:00.000Z';
    const { page, project, stream } = await viewers.view(`?at=${moment}`);
    const status = page.getByRole('status').first();
    stream.event({ event: 'caught_up' });
    await status.getByText('No line at or after 2026-11-15 11:00:00 KST yet').waitFor();
    stream.lines(0, 2);
    await status
      .getByText('No line at 2026-11-15 11:00:00 KST. The next one is of 2026-11-15 12:00:00 KST.')
      .waitFor();
    await page.getByLabel('Timestamps').selectOption('utc');
    await status.getByText('No line at 2026-11-15 02:00:00 UTC. The next one').waitFor();
    await page.keyboard.press('End');
    await status.getByText('No line at').waitFor({ state: 'detached' });
    expect(project).toBeTruthy();
  });

  test('Jump to time reads the log of that moment', async () => {
    const { page, project } = await viewers.view();
    await page.getByRole('button', { name: 'Jump to time' }).click();
    await page.getByLabel('Time (KST)').fill('2026-11-15T12:00:01');
    await page.getByRole('button', { name: 'Jump', exact: true }).click();
    const next = await viewers.logs.next(project);
    expect(url(page).get('at')).toBe('2026-11-15T03:00:01.000Z');
    next.lines(999, 1_001).event({ event: 'caught_up' });
    await page.locator('[class*=current]', { hasText: 'line 1000' }).waitFor();
  });

  test.each(looks)('is sound at $width px, $theme, $language', async (look) => {
    const opened = await viewers.view('?q=line+1', look);
    const { page, stream } = opened;
    for (let n = 0; n < 16; n++)
      stream.line(
        n,
        `\u001b[${n < 8 ? 30 + n : 82 + n}mcolour ${n}\u001b[0m text`,
        `shop-frontend-7d9f8-${n % 5}`,
      );
    stream.line(16, '{"level":"info"}').line(17, 'x'.repeat(5_000));
    stream.event({ event: 'gap', reason: 'the file was removed' }).lines(18, 24);
    await seenLines(page, 24);
    await page.keyboard.press(' ');
    await paused(page);
    await expectSound(opened);
  });
});
