/** The page of the API in a real browser, which may load nothing from another host. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withDocsPage } from '../../src/http/routes/docs-page.ts';
import { hasBrowser, takePage } from '../support/browser-pages.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

describe('the files of the page', () => {
  test.each(['/docs', '/docs/', '/docs?from=readme'])(
    '%s is the page, for which nothing but its own files run',
    async (path) => {
      const reply = await fetch(gateway.url + path);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = reply.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe-eval|https?:|\*|script-src[^;]*unsafe/);
      expect(await reply.text()).not.toMatch(/https?:\/\/(?!origin\.invalid)/);
    },
  );

  test.each(['/docs/viewer.js', '/openapi.json'])('%s is sent compressed, and only once', async (path) => {
    const reply = await fetch(gateway.url + path);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-encoding')).toBe('gzip');
    const etag = reply.headers.get('etag') as string;
    const again = await fetch(gateway.url + path, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    const plain = await fetch(gateway.url + path, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(await reply.text());
  });

  test('its neighbours do not exist, and it only answers reads', async () => {
    for (const path of ['/docsx', '/docs/x', '/docs/viewer.js.gz', '/docs/..%2fpackage.json']) {
      expect((await fetch(gateway.url + path)).status, path).toBe(404);
    }
    expect((await fetch(`${gateway.url}/docs`, { method: 'POST' })).status).toBe(405);
  });

  test('a page that was not built says how to build it', () => {
    const page = withDocsPage({ find: () => null }, { folder: null }).find('/docs');
    expect(page?.status).toBe(404);
    expect(page?.bytes.toString()).toContain('npm run build');
  });

  test('an unknown path names the page and the document', async () => {
    const body = (await (await fetch(`${gateway.url}/v1/nothing`)).json()) as { detail: string };
    expect(body.detail).toContain('GET /docs');
    expect(body.detail).toContain('GET /openapi.json');
  });
});

describe.skipIf(!hasBrowser)('the page', () => {
  /** Everything that goes wrong on the page, and every request that leaves this installation. */
  async function visit(
    path: string,
    options: { width: number; scheme: 'light' | 'dark' },
  ): Promise<[Page, string[]]> {
    const troubles: string[] = [];
    const page = await takePage({ width: options.width, theme: options.scheme });
    await page.route('**', async (route) => {
      const url = route.request().url();
      if (url.startsWith(`${gateway.url}/`)) return await route.continue();
      troubles.push(`asked for ${url}`);
      await route.abort();
    });
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text());
    });
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('requestfailed', (request) => troubles.push(`failed: ${request.url()}`));
    page.on('response', (response) => {
      if (response.status() >= 400) troubles.push(`${response.status()}: ${response.url()}`);
    });
    await page.goto(gateway.url + path);
    return [page, troubles];
  }

  test.each([
    { width: 1280, scheme: 'light' },
    { width: 390, scheme: 'dark' },
  ] as const)('shows code for the first call, then operations ($width px, $scheme)', async (options) => {
    const { width, scheme } = options;
    const [page, troubles] = await visit('/docs', options);
    await page.getByRole('heading', { name: 'First call' }).waitFor();
    const text = await page.locator('body').innerText();
    expect(text).toContain(`curl ${gateway.url}/v1/chat/completions`);
    expect(text).toContain('import OpenAI from "openai"');
    expect(text).toContain(`base_url="${gateway.url}/v1"`);
    expect(text).toContain(`baseURL: "${gateway.url}"`);
    expect(await page.evaluate('document.body.classList.contains("dark-mode")')).toBe(scheme === 'dark');
    await page.evaluate('location.hash = "tag/batches/POST/v1/batches"');
    await page.getByRole('heading', { name: 'Submit a batch' }).waitFor();
    await page.getByText('The id of an uploaded file.').first().waitFor();
    await page.getByText('"settlement_status"').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(troubles).toEqual([]);
  });
});
