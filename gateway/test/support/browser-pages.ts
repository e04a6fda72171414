/**
 * The pages of one browser for all tests of a process. A page that starts anew takes five times the processor time
 * of one that is used again, which was a quarter of the time of all tests.
 */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { PATIENCE_MS } from './patience.ts';

/** The shell without windows takes a third of the processor time. */
const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const program = programs.find((path) => existsSync(path));

/** Whether tests in a browser can run here. */
export const hasBrowser = program !== undefined;

if (!hasBrowser) {
  const message = `Neither ${programs.join(' nor ')} was found: the console is not tested in a browser.`;
  if (process.env.TOLLGATE_TEST_BROWSER === 'required') throw new Error(message);
  process.stderr.write(`${message}\n`);
}

let browser: Browser | null = null;

/** It ends with the process. */
async function startBrowser(): Promise<Browser> {
  if (browser?.isConnected()) return browser;
  browser = await chromium.launch({
    executablePath: program as string,
    // On a busy machine a view may still move smoothly long after a key or the wheel moved it.
    args: ['--no-sandbox', '--disable-background-networking', '--disable-smooth-scrolling'],
    timeout: PATIENCE_MS,
  });
  return browser;
}

/** A person in front of a browser. All but the language can change while a page is used again. */
export interface PageOptions {
  /** Default: `en-GB`. */
  readonly locale?: 'en-GB' | 'ko-KR';
  /** Default: 1280. */
  readonly width?: number;
  /** Default: `light`. */
  readonly theme?: 'light' | 'dark';
  /** Whether scripts may read and write the clipboard. Default: they may not. */
  readonly clipboard?: boolean;
}

const free = new Map<string, Page[]>();
const used = new WeakSet<Page>();

/** A page without cookies and storage, in a context of its own, until the test that runs has ended. */
export async function takePage(options: PageOptions = {}): Promise<Page> {
  const { locale = 'en-GB', width = 1280, theme = 'light', clipboard = false } = options;
  const unused = free.get(locale)?.pop();
  const page = unused === undefined || unused.isClosed() ? await newPage(locale) : unused;
  onTestFinished(async () => {
    if (await isClean(page)) free.set(locale, [...(free.get(locale) ?? []), page]);
    else await page.context().close();
  });
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: theme });
  if (clipboard) await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  return page;
}

async function newPage(locale: string): Promise<Page> {
  // Marks that move until a page is left are drawn again for every frame.
  const still = { reducedMotion: 'reduce', timezoneId: 'Europe/Berlin' } as const;
  const context = await (await startBrowser()).newContext({ ...still, locale });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  return page;
}

/** Gives the page a clock that the test moves. */
export async function installClock(page: Page): Promise<void> {
  used.add(page);
  await page.clock.install();
}

/** Makes the page as new. False if it cannot be used again. */
async function isClean(page: Page): Promise<boolean> {
  try {
    page.removeAllListeners();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    // A page that asks before it is left is left all the same.
    page.on('dialog', (dialog) => dialog.accept().catch(() => {}));
    if (used.has(page) || page.context().pages().length > 1) return false;
    if (page.url().startsWith('http')) await page.evaluate('sessionStorage.clear(); localStorage.clear()');
    await page.mouse.move(0, 0);
    await page.emulateMedia({ media: null });
    await page.context().setOffline(false);
    await page.goto('about:blank');
    await page.context().clearCookies();
    await page.context().clearPermissions();
    page.removeAllListeners();
    return true;
  } catch {
    return false;
  }
}
