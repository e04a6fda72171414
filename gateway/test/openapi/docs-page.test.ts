/** The pages of the API: complete without a script, small, and usable in a real browser that reaches no other host. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiDefaults } from '../../src/config/config-defaults.ts';
import { documentation } from '../../src/contract/documentation/documentation.ts';
import type { TagDocs } from '../../src/contract/documentation/operation-docs.ts';
import { type Endpoint, isOffered } from '../../src/contract/endpoint.ts';
import { ownProblemsOf } from '../../src/contract/endpoint-problems.ts';
import { type EndpointName, endpoints } from '../../src/contract/endpoints.ts';
import { pathOfTag } from '../../src/http/docs-page/write-layout.ts';
import { hasBrowser, type PageOptions, takePage } from '../support/browser-pages.ts';
import { ConsoleBrowser, expectSound, type Opened, troublesOn } from '../support/console-browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { codeBlocks, operationsOn } from '../support/shown-code.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

async function read(path: string): Promise<string> {
  return await (await fetch(gateway.url + path)).text();
}

describe('without a script', () => {
  test.each(['/docs', '/docs/', '/docs?from=readme', '/docs/chat', '/docs/usage-and-balance/'])(
    '%s is a page for which nothing but files of this server load',
    async (path) => {
      const reply = await fetch(gateway.url + path);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = reply.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(await reply.text()).not.toMatch(/(?:src|href)="(?!\/|#)/);
    },
  );

  test('the first page has code for the first call and leads to every endpoint', async () => {
    const page = await read('/docs');
    expect(codeBlocks(page).join('\n')).toMatch(/^curl http:\/\/localhost:\d+\/v1\/chat\/completions/m);
    expect(codeBlocks(page).join('\n')).toContain('import OpenAI from "openai"');
    for (const { path } of Object.values<Endpoint>(endpoints)) expect(page).toContain(`<code>${path}</code>`);
  });

  test.each(documentation.map(({ tag }) => tag))(
    'the page of %s has every endpoint with its fields, code, answers and errors',
    async (tag) => {
      const parts = [...operationsOn(await read(pathOfTag(tag))).values()];
      const { operations } = documentation.find((one) => one.tag === tag) as TagDocs;
      const offered = Object.entries(operations).filter(([name]) =>
        isOffered(endpoints[name as EndpointName], apiDefaults),
      );
      for (const [i, [name, docs]] of offered.entries()) {
        const endpoint: Endpoint = endpoints[name as EndpointName];
        const part = parts[i] ?? '';
        expect(part, name).toContain(`<code>${endpoint.path}</code>`);
        for (const field of Object.keys(propertiesOf(endpoint)))
          expect(part, name).toContain(`<code class="name">${field}</code>`);
        for (const language of ['curl', 'javascript', 'python'])
          expect(codeBlocks(part, language), `${name} in ${language}`).toHaveLength(
            docs?.examples.length ?? 0,
          );
        for (const code of ownProblemsOf(endpoint)) expect(part, name).toContain(` ${code}</code>`);
      }
    },
  );

  test('pages are small, compressed and sent once', async () => {
    for (const path of ['/docs', '/docs/responses', '/docs/keys', '/console/docs-page.js']) {
      const reply = await fetch(gateway.url + path, { headers: { 'accept-encoding': 'gzip' } });
      expect(reply.headers.get('content-encoding'), path).toBe('gzip');
      expect(Number(reply.headers.get('content-length')), path).toBeLessThan(30_000);
      const etag = reply.headers.get('etag') as string;
      const again = await fetch(gateway.url + path, { headers: { 'if-none-match': etag } });
      expect(again.status, path).toBe(304);
      const plain = await fetch(gateway.url + path, { headers: { 'accept-encoding': 'identity' } });
      expect(await plain.text()).toBe(await reply.text());
    }
  });

  test('their neighbours do not exist, and they only answer reads', async () => {
    for (const path of ['/docsx', '/docs/x', '/docs/chat/x', '/docs/viewer.js', '/docs/..%2fpackage.json'])
      expect((await fetch(gateway.url + path)).status, path).toBe(404);
    expect((await fetch(`${gateway.url}/docs`, { method: 'POST' })).status).toBe(405);
  });

  test('an unknown path names the pages and the document', async () => {
    const body = JSON.parse(await read('/v1/nothing')) as { detail: string };
    expect(body.detail).toContain('GET /docs');
    expect(body.detail).toContain('GET /openapi.json');
  });
});

describe.skipIf(!hasBrowser)('in a browser', () => {
  async function visit(path: string, options: PageOptions = {}): Promise<Opened> {
    const page = await takePage(options);
    const troubles = troublesOn(page, gateway.url);
    await page.goto(gateway.url + path);
    // The last thing that the script does is to show the forms, or the search.
    await page.locator('.trial:not([hidden]), .filter:not([hidden])').first().waitFor({ state: 'attached' });
    return { page, troubles };
  }

  test.each([
    { path: '/docs', width: 1280, theme: 'light' },
    { path: '/docs/files', width: 390, theme: 'dark' },
  ] as const)(
    '$path fits and has no serious finding of axe ($width px, $theme)',
    async ({ path, ...look }) => {
      const opened = await visit(path, look);
      await opened.page.evaluate(
        `document.querySelectorAll('details').forEach((one) => { one.open = true; })`,
      );
      await expectSound(opened);
    },
  );

  test('the first call has the address of this server, and can be searched', async () => {
    const { page, troubles } = await visit('/docs');
    await page.getByText(`curl ${gateway.url}/v1/chat/completions`).waitFor();
    await page.getByRole('searchbox').fill('post batches');
    await expect.poll(() => page.locator('.index li:visible').count()).toBeLessThan(10);
    await page.getByRole('link', { name: /POST \/v1\/batches$/ }).click();
    await page.getByRole('heading', { name: 'Submit a batch' }).waitFor();
    expect(troubles).toEqual([]);
  });

  test('the chosen language is shown on every page', async () => {
    const { page } = await visit('/docs/chat');
    const shown = (text: string) => page.locator('pre:visible', { hasText: text }).count();
    expect([await shown('curl '), await shown('requests.post')]).toEqual([2, 0]);
    await page.getByText('Python', { exact: true }).click();
    expect([await shown('curl '), await shown('requests.post')]).toEqual([0, 2]);
    await page.goto(`${gateway.url}/docs/batches`);
    await page.locator('pre:visible', { hasText: 'requests.post' }).first().waitFor();
  });

  test('code is copied as it stands there', async () => {
    const { page } = await visit('/docs/chat', { clipboard: true });
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(copied).toBe(await page.locator('pre').first().textContent());
    expect(copied).toContain(`curl ${gateway.url}/v1/chat/completions`);
    expect(copied).not.toMatch(/idempotency-key|last-event-id/i);
  });

  async function sendFrom(page: Page, operation: string): Promise<string> {
    const form = page.locator(`#${operation} .trial`);
    await form.getByText('Send it from here').click();
    await form.getByRole('button', { name: 'Send' }).click();
    await form.locator('output pre').waitFor();
    return (await form.locator('output').textContent()) ?? '';
  }

  test('a request is sent from the page with a key that stays in the tab', async () => {
    const { page } = await visit('/docs/chat');
    await page
      .locator('[data-variable]')
      .first()
      .evaluate((input, key) => {
        (input as unknown as { value: string }).value = key;
        input.dispatchEvent(new Event('input'));
      }, gateway.key);
    expect(await sendFrom(page, 'createChatCompletion')).toMatch(
      /^200 after \d+ ms, 0\.\d+ units\{[\s\S]*It works/,
    );
    expect(await page.evaluate('Object.keys(localStorage).length')).toBe(0);
    await page.goto(`${gateway.url}/docs/models`);
    expect(await sendFrom(page, 'listModels')).toMatch(/^200 /);
  });

  test('a person who is signed in to the console changes something with that session', async () => {
    await gateway.admin('operators.add', { email: 'op@example.com', password: 'correct horse battery' });
    const { page } = await new ConsoleBrowser(gateway).open('/connect', { email: 'op@example.com' });
    await page.goto(`${gateway.url}/docs/spaces`);
    await page.locator('#spacesCreate textarea').evaluate((area) => {
      (area as unknown as { value: string }).value = '{"name": "made-on-the-page"}';
    });
    expect(await sendFrom(page, 'spacesCreate')).toMatch(/^200 /);
  });
});

function propertiesOf({ request, form }: Endpoint): object {
  const { properties } = (request ?? form ?? {}) as { properties?: object };
  return properties ?? {};
}
