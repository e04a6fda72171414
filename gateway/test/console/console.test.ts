/** The web console in a real browser, served by the real gateway. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { consoleFiles } from '../../src/http/routes/console.ts';
import { parseUnits, printUnits } from '../../src/kernel/units.ts';
import { hasBrowser, type PageOptions, takePage } from '../support/browser-pages.ts';
import { testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Slow enough to be stopped halfway, fast enough to be waited for. */
const PACE_MS = 10;
/** Costs so small that a number would write them with an exponent. */
const TINY_PRICES = testConfig({
  prices: { 'sim-chat-classic': { input: 0.000001, output: 0.123457 } },
});
const BUILD_MS_MAX = 120_000;

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ paceMs: PACE_MS, config: TINY_PRICES });
}, BUILD_MS_MAX);
afterAll(() => gateway.stop());

describe('the files of the console', () => {
  test.each(['/console', '/console/', '/console/connect', '/console/connect?model=sim-chat'])(
    '%s is the page',
    async (path) => {
      const reply = await fetch(gateway.url + path);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(reply.headers.get('content-security-policy')).toContain("default-src 'self'");
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      expect(reply.headers.get('referrer-policy')).toBe('no-referrer');
      expect(reply.headers.get('cache-control')).toBe('no-cache');
      expect(await reply.text()).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
    },
  );

  test('the page is not sent again to who has it, and what it loads is kept for good', async () => {
    const page = await fetch(`${gateway.url}/console`);
    const etag = page.headers.get('etag') as string;
    const again = await fetch(`${gateway.url}/console`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    const paths = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]);
    expect(paths.length).toBeGreaterThanOrEqual(3);
    for (const path of paths) {
      const file = await fetch(`${gateway.url}${path}`);
      expect(file.status).toBe(200);
      // The pages of the API name the icon, so its name has no digest.
      const isNamedByDigest = path?.startsWith('/console/assets/');
      expect(file.headers.get('cache-control')).toContain(isNamedByDigest ? 'immutable' : 'no-cache');
      expect(file.headers.get('content-type')).toMatch(/^(?:text\/(?:css|javascript)|image\/svg\+xml)/);
    }
  });

  test.each([
    '/console/../package.json',
    '/console/../../package.json',
    '/console/assets/../../../package.json',
    '/console/..%2f..%2fpackage.json',
    '/console/%2e%2e/%2e%2e/package.json',
    '/console/..\\..\\package.json',
    '/console//etc/passwd',
    '/console/index.html%00.js',
    '/console/assets',
    '/console/constructor',
    '/consolex',
  ])('%s gives 404', async (path) => {
    expect(await rawStatus('GET', path)).toBe(404);
  });

  test('only reading is allowed', async () => {
    expect(await rawStatus('HEAD', '/console')).toBe(200);
    expect(await rawStatus('POST', '/console')).toBe(405);
  });

  test('a console that was not built says how to build it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-console-'));
    const page = consoleFiles({ folder }).find('/console');
    rmSync(folder, { recursive: true });
    expect(page?.status).toBe(404);
    expect(page?.bytes.toString()).toContain('npm run build -w console');
  });
});

describe.skipIf(!hasBrowser)('the Connect page', () => {
  /** A fresh visitor, and everything that went wrong in their browser. */
  async function visit(options: PageOptions = {}, search = ''): Promise<[Page, string[]]> {
    const page = await takePage(options);
    const troubles: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) troubles.push(message.text());
    });
    page.on('pageerror', (error) => troubles.push(String(error)));
    page.on('requestfailed', (failed) => {
      const reason = failed.failure()?.errorText;
      // Chromium calls a stream that may not be stored aborted even when it was read to its end; that
      // it was, the receipt under the answer proves.
      const isStream = failed.url().endsWith('/v1/chat/completions');
      if (!isStream || reason !== 'net::ERR_ABORTED') troubles.push(`${failed.url()}: ${reason}`);
    });
    page.on('response', (reply) => {
      if (reply.status() >= 400) troubles.push(`${reply.url()}: ${reply.status()}`);
    });
    await page.goto(`${gateway.url}/console/connect${search}`);
    return [page, troubles];
  }

  async function connect(page: Page, key = gateway.key): Promise<void> {
    await page.getByLabel('Gateway key').fill(key);
    await page.keyboard.press('Enter');
  }

  async function connected(search = ''): Promise<[Page, string[]]> {
    const [page, troubles] = await visit({ clipboard: true }, search);
    await connect(page);
    await page.getByText('Connected: this key can call 6 models.').waitFor();
    return [page, troubles];
  }

  async function copied(page: Page, button: string): Promise<string> {
    await page.getByRole('button', { name: button }).click();
    return await page.evaluate('navigator.clipboard.readText()');
  }

  const sizes = [1280, 390] as const;
  const schemes = ['light', 'dark'] as const;
  const looks = sizes.flatMap((width) => schemes.map((scheme) => [width, scheme] as const));
  test.each(looks)(
    'at %i px in %s it shows everything, legibly and without trouble',
    async (width, scheme) => {
      const [page, troubles] = await visit({ width, theme: scheme });
      await page.getByRole('heading', { name: 'Connect', level: 1 }).waitFor();
      expect(await page.evaluate(FAINT_TEXTS)).toEqual([]);
      await connect(page);
      await page.getByRole('radio', { name: 'sim-chat', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('.receipt').waitFor();
      expect(await page.evaluate(FAINT_TEXTS)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(troubles).toEqual([]);
    },
  );

  test('the cost under a streamed answer is the charged amount, digit for digit', async () => {
    const [page, troubles] = await connected();
    await page.getByRole('radio', { name: 'sim-chat-classic' }).check();
    await page.getByLabel('Prompt').fill('안녕! Reply with exactly: 통행료 gate 🚧');
    await page.keyboard.press('Enter');
    await page.locator('.receipt').waitFor();
    expect(await page.locator('.said').textContent()).toBe('통행료 gate 🚧');
    const id = await page.locator('.request code').textContent();
    const [row] = await gateway.query<{ cost: string; input_tokens: string; output_tokens: string }>(
      sql`select cost::text, input_tokens::text, output_tokens::text from calls where id = ${id}`,
    );
    const shown = await page.locator('.receipt dd').allTextContents();
    expect(shown[0]).toMatch(/^\d+ ms$|^\d+\.\d\d s$/);
    expect(shown[4]).toMatch(/^0\.000000\d{6} units$/);
    expect(shown.slice(2)).toEqual([
      row?.input_tokens,
      row?.output_tokens,
      `${printUnits(parseUnits(row?.cost ?? ''))} units`,
    ]);
    expect(troubles).toEqual([]);
  });

  test('a call without a price has a cost that is not known, and not zero', async () => {
    const [page] = await connected('?model=unpriced');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.receipt').waitFor();
    expect(await page.locator('.receipt dd').last().textContent()).toBe('not known');
  });

  test('an image in the answer is shown', async () => {
    const [page, troubles] = await connected('?model=sim-image-chat');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.receipt').waitFor();
    expect(await page.evaluate('document.querySelector(".answer img").naturalWidth')).toBeGreaterThan(0);
    expect(troubles).toEqual([]);
  });

  test('Stop ends the call at the provider, and what was produced is charged', async () => {
    const [page] = await connected();
    await page.getByLabel('Prompt').fill('Write 5000 words.');
    await page.keyboard.press('Control+Enter');
    await page.locator('.answer[data-phase=answering]').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped, here and at the provider.').waitFor();
    const call = await gateway.simulator.waitFor((seen) => seen.text.includes('5000 words') && seen.aborted);
    expect(call.finished).toBe(false);
    expect((await page.locator('.said').textContent())?.length).toBeGreaterThan(0);
    const id = await page.locator('.request code').textContent();
    await expect
      .poll(() => gateway.query(sql`select outcome, cost > 0 as charged from calls where id = ${id}`))
      .toEqual([{ outcome: 'partial', charged: true }]);
  });

  test('a wrong key shows the sentence of the API, with its error_ref', async () => {
    const [page] = await visit();
    const wrong = gateway.key.slice(0, -1);
    const reply = page.waitForResponse((response) => response.url().endsWith('/v1/models'));
    await connect(page, wrong);
    const body = (await (await reply).json()) as { detail: string; error_ref: string };
    const shown = await page.getByRole('alert').textContent();
    expect(shown).toContain(body.detail);
    expect(shown).toContain(body.error_ref);
    expect(await page.locator('pre').textContent()).not.toContain(wrong.slice(-8));
    await connect(page, `${gateway.key}열쇠`);
    await page.getByText('A key has only letters, digits and an underscore').waitFor();
    await connect(page);
    await page.getByText('Connected:').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('a failure of the provider is shown with its error_ref, before and within a stream', async () => {
    const [page] = await connected();
    for (const fault of ['error-400', 'cut-stream']) {
      await page.getByLabel('Prompt').fill(`[[fault ${fault}]] Hello in 50 words`);
      await page.keyboard.press('Enter');
      await page.locator('.answer[data-phase=failed]').waitFor();
      expect(await page.getByRole('alert').textContent()).toMatch(
        /\.Quote this when you ask for help: req_\w+$/,
      );
    }
  });

  test('the key is masked on the screen, whole in the copy, and never in the address', async () => {
    const [page] = await connected('?code=python');
    const hidden = gateway.key.slice(8, 30);
    expect(await page.locator('pre').textContent()).toContain(`sk_••••••••••••${gateway.key.slice(-4)}`);
    expect(await page.locator('body').innerText()).not.toContain(hidden);
    expect(await copied(page, 'Copy the Python code')).toContain(`api_key="${gateway.key}"`);
    await page.locator('pre').selectText();
    await page.keyboard.press('Control+C');
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`api_key="${gateway.key}"`);
    await page.getByRole('button', { name: 'Show the key' }).click();
    expect(await page.locator('pre').textContent()).toContain(gateway.key);
    expect(page.url()).not.toContain('sk_');
    expect(await page.evaluate('localStorage.length')).toBe(0);
    await page.reload();
    await page.getByText('Connected:').waitFor();
    await page.getByRole('button', { name: 'Forget the key' }).click();
    // Beside it the router keeps where pages were scrolled to.
    expect(await page.evaluate('Object.keys(sessionStorage)')).not.toContain('tollgate.gateway-key');
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain(
      'sk_',
    );
  });

  test('the copied code makes the first call as it is', async () => {
    const [page] = await connected();
    await page.getByRole('radio', { name: 'sim-text-only' }).check();
    expect(await copied(page, 'Copy the base URL')).toBe(`${gateway.url}/v1`);
    await page.getByRole('tab', { name: 'TypeScript' }).click();
    const typescript = await copied(page, 'Copy the TypeScript code');
    const ran = await run(process.execPath, ['--input-type=module-typescript', '--eval', typescript], {
      cwd: join(ROOT, 'gateway'),
    });
    expect(ran.stdout).toBe('It works\n');
    await page.getByRole('tab', { name: 'Anthropic SDK' }).click();
    const anthropic = await copied(page, 'Copy the Anthropic SDK code');
    const asked = await run(process.execPath, ['--input-type=module-typescript', '--eval', anthropic], {
      cwd: join(ROOT, 'gateway'),
    });
    expect(asked.stdout).toBe('It works\n');
    await page.getByRole('tab', { name: 'curl' }).click();
    const curl = await copied(page, 'Copy the curl code');
    const answered = await run('sh', ['-c', `${curl} -s`]);
    expect(JSON.parse(answered.stdout)).toMatchObject({
      model: 'sim-text-only',
      choices: [{ message: { content: 'It works' } }],
    });
  });

  test('it is used from end to end with the keyboard alone', async () => {
    const [page, troubles] = await visit({}, '?code=curl');
    const tabUntil = async (name: string): Promise<void> => {
      for (let i = 0; i < 30; i++) {
        await page.keyboard.press('Tab');
        if ((await page.evaluate<string>(FOCUSED)).startsWith(name)) return;
      }
      throw new Error(`the tab key does not reach ${name}`);
    };
    await tabUntil('Gateway key');
    await page.keyboard.insertText(gateway.key);
    await page.keyboard.press('Enter');
    await page.getByText('Connected:').waitFor();
    await tabUntil('sim-chat');
    await page.keyboard.press('ArrowDown');
    expect(page.url()).toContain('model=sim-chat-classic');
    await tabUntil('curl');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('pre').textContent()).toContain('from openai import OpenAI');
    await tabUntil('Prompt');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Reply with exactly: one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Enter');
    await page.locator('.receipt').waitFor();
    expect(await page.locator('.said').textContent()).toBe('one\ntwo');
    expect(troubles).toEqual([]);
  });
});

/** Sends a path as it is written; fetch would tidy it up first. */
async function rawStatus(method: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(gateway.url);
  return await new Promise((resolve, reject) => {
    request({ hostname, port, method, path }, (reply) => {
      reply.resume();
      resolve(reply.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

/** Runs in the page: the name of what has the focus. */
const FOCUSED = `(() => {
  const at = document.activeElement;
  const by = document.getElementById(at.getAttribute('aria-labelledby'));
  return (by ?? at.labels?.[0] ?? at).textContent.trim();
})()`;

/** Runs in the page: texts whose contrast to their ground is below WCAG AA (4.5 to 1). */
const FAINT_TEXTS = `(() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = channels(colour).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((channels(colour)[3] ?? 1) === 1) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const faint = [];
  for (const element of document.querySelectorAll('body *')) {
    const says = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    if (!says && element.placeholder === undefined) continue;
    const a = light(getComputedStyle(element).color);
    const b = light(ground(element));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) faint.push(element.textContent.slice(0, 40) + ' ' + contrast.toFixed(2));
  }
  return faint;
})()`;
