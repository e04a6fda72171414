/** People in front of the console in a real browser, and everything that goes wrong there. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { takePage } from './browser-pages.ts';
import { ConsoleVisitor } from './console-visitor.ts';
import { everythingOnBoth } from './engines.ts';
import type { TestGateway } from './gateway.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Look {
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
  readonly language?: 'en' | 'ko';
}

const everyLook: readonly Look[] = [
  { width: 1280, theme: 'light', language: 'en' },
  { width: 390, theme: 'dark', language: 'ko' },
  { width: 1280, theme: 'dark', language: 'ko' },
  { width: 390, theme: 'light', language: 'en' },
];

/** The first two have each width, theme and language once. `npm run test:engines` takes all four. */
export const looks: readonly Look[] = everythingOnBoth ? everyLook : everyLook.slice(0, 2);

export interface Opened {
  readonly page: Page;
  /** Errors in the console, failed requests and answers that are errors. */
  readonly troubles: string[];
}

export class ConsoleBrowser {
  readonly #gateway: TestGateway;

  constructor(gateway: TestGateway) {
    this.#gateway = gateway;
  }

  /** Opens a page, such as `/spaces/acme/keys`, for somebody who is signed in, or for nobody. */
  async open(
    path: string,
    { email, language, ...look }: Look & { email?: string; clipboard?: boolean } = {},
  ): Promise<Opened> {
    const page = await takePage({ locale: language === 'ko' ? 'ko-KR' : 'en-GB', ...look });
    const url = this.#gateway.url;
    if (email !== undefined) {
      const { code } = await this.#gateway.admin('people.link', { email });
      const { headers } = await new ConsoleVisitor(url, '127.0.0.1').useLink(code);
      const [pair = ''] = (headers.get('set-cookie') ?? '').split(';');
      const [name = '', value = ''] = pair.split('=');
      await page.context().addCookies([{ name, value, url }]);
    }
    const troubles = troublesOn(page, url);
    await page.goto(`${url}/console${path}`);
    return { page, troubles };
  }
}

/** Collects errors in the console, failed requests, answers that are errors and requests to other servers. */
export function troublesOn(page: Page, origin: string): string[] {
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(message.text());
  });
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('response', (reply) => {
    if (reply.status() >= 400) troubles.push(`${reply.url()}: ${reply.status()}`);
    if (
      new URL(reply.url()).origin !== origin &&
      !reply.url().startsWith('data:') &&
      !reply.url().startsWith('blob:')
    )
      troubles.push(`a request to elsewhere: ${reply.url()}`);
  });
  return troubles;
}

/** The page fits, nothing went wrong, and axe has no serious finding. */
export async function expectSound({ page, troubles }: Opened): Promise<void> {
  const wide = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(wide, 'pixels that the page is wider than the window').toBe(0);
  expect(await page.evaluate(CLIPPED_TEXTS), 'texts that are cut off').toEqual([]);
  await expectAccessible(page);
  expect(troubles).toEqual([]);
}

async function expectAccessible(page: Page): Promise<void> {
  // To send and read it again for each check of a page took a third of the time of a check.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(AXE);
  const findings = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(' | ')))`,
  )) as string[];
  expect(findings, 'findings of axe').toEqual([]);
}

/** Buttons, headings and cells whose text is wider than they are and cannot be scrolled. */
const CLIPPED_TEXTS = `[...document.querySelectorAll('button, h1, h2, h3, th, td, dd, dt, label, a')]
  .filter((element) => element.checkVisibility() && element.clientWidth > 1
    && element.scrollWidth > element.clientWidth + 1
    && getComputedStyle(element).overflowX !== 'visible' && getComputedStyle(element).overflowX !== 'auto')
  .map((element) => element.textContent.slice(0, 80))`;
