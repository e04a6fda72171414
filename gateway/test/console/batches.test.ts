/** The page of batches in a real browser: from a dropped file to its results. */
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { hasBrowser } from '../support/browser-pages.ts';
import { changeConfig, testConfig, withBatches } from '../support/config.ts';
import { ConsoleBrowser, expectSound, looks } from '../support/console-browser.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const ANN = 'ann@example.com';
const BOB = 'bob@example.com';
const ADMIN = 'admin@example.com';
const PAGE = '/spaces/acme/batches';
const config = changeConfig(withBatches(testConfig()), {
  models: {
    unpriced: { batch: true },
    'sim-chat': { output_cap_field: 'max_completion_tokens' },
  },
  // Few enough that a batch can be cancelled before it has ended.
  limits: { batch_lines: 2 },
});
const PAYLOAD = `<img src=x onerror="document.title='broken'">.jsonl`;

const badLines = [
  chatLine('a', 'Hello'),
  '{"custom_id": oops',
  chatLine('a', 'Hello again'),
  chatLine('b', 'Hello', { service_tier: undefined }),
  '',
  chatLine('c', 'Hello', { stream: true }),
  chatLine('d', 'Hello', { max_output_tokens: 5 }),
  chatLine('e', 'Hello', { model: 'nothing' }),
  chatLine('f', 'Hello', { model: 'sim-text-only' }),
  chatLine('g', 'Hello').replace('"custom_id":"g"', '"custom_id":"g","custom_id":"h"'),
  chatLine('i', 'Hello').replace('/v1/chat/completions', '/v1/images'),
];

describe.skipIf(!hasBrowser)('the page of batches', () => {
  let gateway: TestGateway;
  let browser: ConsoleBrowser;
  let anns: BatchStage;
  beforeAll(async () => {
    gateway = await startGateway({ config });
    for (const [email, role] of [
      [ANN, 'member'],
      [BOB, 'member'],
      [ADMIN, 'admin'],
    ] as const)
      await gateway.admin('members.add', { space: 'acme', email, role });
    const { key } = await gateway.admin('keys.create', { name: 'anns', kind: 'personal', email: ANN });
    anns = new BatchStage(gateway, key);
    browser = new ConsoleBrowser(gateway);
  });
  afterAll(() => gateway.stop());

  /** Drops a file on the page, as a hand would. */
  async function drop(page: Page, name: string, lines: readonly string[]): Promise<void> {
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(lines.join('\n'))}], ${JSON.stringify(name)}));
      return transfer;
    })()`);
    const place = page.getByText('Drop a JSONL file here').locator('..');
    await place.dispatchEvent('drop', { dataTransfer: data });
  }

  async function saved(page: Page, button: string): Promise<string> {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByText(button).click(),
    ]);
    return await readFile(await file.path(), 'utf8');
  }

  test.each(looks)(
    'is sound at $width px, $theme, $language, with wrong rows and with an open batch',
    async (look) => {
      const { id } = await anns.submitted([chatLine('a', 'Hello'), chatLine('b', '[[fault error-400]]')]);
      await anns.settled(id);
      const opened = await browser.open(PAGE, { email: ANN, ...look });
      const { page } = opened;
      await page.getByRole('button', { name: id }).waitFor();
      const name = 'requests.jsonl';
      await page
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: '', buffer: Buffer.from(badLines.join('\n')) });
      await page.getByRole('alert').waitFor();
      await expectSound(opened);
      await page.getByRole('button', { name: id }).click();
      await page.getByRole('dialog').locator('dl').waitFor();
      await expectSound(opened);
    },
  );

  test('every rule is checked before the upload, with the same rows and fields as the API', async () => {
    const { page, troubles } = await browser.open(PAGE, { email: ANN });
    await page.getByRole('heading', { name: 'New batch' }).waitFor();
    await drop(page, 'requests.jsonl', badLines);
    await page.getByText('9 rows would be rejected.').waitFor();
    const shown = await page
      .getByRole('region', { name: 'What is wrong' })
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
      );
    expect(await page.getByRole('button', { name: 'Upload and submit' }).count()).toBe(0);
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([badLines.join('\n')]), 'input.jsonl');
    const reply = await anns.ask('/v1/files', { method: 'POST', body: form });
    const { detail, error } = (await reply.json()) as {
      detail: string;
      error: { rows: Array<{ row: number; field: string | null }> };
    };
    expect(shown.map(([row, , field]) => [Number(row), field])).toEqual(
      error.rows.map(({ row, field }) => [row, field ?? '–']),
    );
    const [, advice] = /^Row 2, invalid_json: (.*\.) 9 rows are not valid/.exec(detail) ?? [];
    expect(shown[0]?.[1]).toBe(`Not valid JSON${advice}`);
    expect(troubles).toEqual([]);
  });

  test('what is wrong with a row, and how to fix it, is said in the language of the page', async () => {
    const { page } = await browser.open(PAGE, { email: ANN, language: 'ko' });
    const buffer = Buffer.from(badLines.join('\n'));
    await page.locator('input[type=file]').setInputFiles({ name: 'requests.jsonl', mimeType: '', buffer });
    const rows = page.getByRole('region', { name: '문제' }).locator('tbody tr');
    await rows.first().waitFor();
    const sentences = await rows.locator('td:nth-child(2) span').allTextContents();
    expect(sentences).toHaveLength(9);
    for (const sentence of sentences) expect(sentence).toMatch(/[가-힣].*\.$/);
    expect(sentences[1]).toBe('1행과 custom_id가 같습니다. 행마다 다른 값을 지정하세요.');
  });

  test('a file goes from the drop to its results, its cost and a file of the failed rows', async () => {
    const { page, troubles } = await browser.open(PAGE, { email: ANN });
    await page.getByRole('button', { name: 'Create a key for this page' }).click();
    await page.getByText('Use another key').waitFor();
    const cap = { max_completion_tokens: 50 };
    const lines = [
      chatLine('good', 'Reply with exactly: done', cap),
      chatLine('bad', 'Hello', { max_tokens: 50 }),
    ];
    await drop(page, PAYLOAD, lines);
    await page.getByRole('heading', { name: PAYLOAD }).waitFor();
    await page.getByText('Every row is valid.').waitFor();
    await page.getByText('1 row would be accepted, but fail when it runs: sim-chat expects').waitFor();
    expect(await page.getByRole('region', { name: 'Estimate' }).textContent()).toContain('100 tokens');
    await page.getByRole('button', { name: 'Upload and submit' }).click();
    await page.waitForURL(/batch=batch_/);
    const id = new URL(page.url()).searchParams.get('batch') as string;
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Download the results').waitFor(PATIENCE);
    const batch = await gateway.admin('batches.get', { space: 'acme', batch: id });
    expect(await dialog.getByText(`${batch.units} units`).count()).toBe(1);
    await dialog.getByText('1 failed').waitFor();
    expect(await saved(page, 'Download the results')).toContain('"custom_id":"good"');
    expect(await saved(page, 'Download the errors')).toContain('unsupported_parameter');
    expect(await saved(page, 'Make a file of the failed rows')).toBe(`${lines[1]}\n`);
    expect(await page.title()).toBe('Batches · Tollgate');
    expect(troubles).toEqual([]);
  });

  test('the estimate has the prices for the key, once there is one', async () => {
    const { key, id } = await gateway.admin('keys.create', { name: 'dear', kind: 'personal', email: ANN });
    const prices = { version: 'with-markup', markup: [{ factor: '10', key: id }] };
    writeFileSync(gateway.configFile, changeConfig(readFileSync(gateway.configFile, 'utf8'), { prices }));
    process.kill(process.pid, 'SIGHUP');
    await vi.waitFor(async () => {
      const { price_version } = await gateway.admin('installation.config');
      expect(price_version).toBe(prices.version);
    }, PATIENCE);
    const { page } = await browser.open(PAGE, { email: ANN });
    await drop(page, 'requests.jsonl', [chatLine('a', 'Hello there, you', { max_completion_tokens: 50 })]);
    const estimate = page.getByRole('region', { name: 'Estimate' });
    const shown = async (): Promise<number> =>
      Number(/at most about\D*([\d.]+)/i.exec((await estimate.textContent()) ?? '')?.[1]);
    await estimate.waitFor();
    const before = await shown();
    await page.getByPlaceholder('sk_…').fill(key);
    await page.keyboard.press('Enter');
    await expect.poll(shown).toBeCloseTo(before * 10, 9);
  });

  test('a quarantined batch is neither free nor finished, and says why', async () => {
    const { id } = await anns.submitted([chatLine('a', 'Hello', { model: 'unpriced' })]);
    await anns.until(id, ({ settlement_status }) => settlement_status === 'quarantined');
    const { page } = await browser.open(`${PAGE}?batch=${id}`, { email: ANN });
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The settlement is on hold').waitFor();
    await dialog.getByText('not settled yet').waitFor();
    await dialog.getByText('The files appear once the batch is settled.').waitFor();
    expect(await dialog.getByText('Reason: ').count()).toBe(1);
  });

  test("members see their own batches; administrators read the results of others, and not another's input", async () => {
    const { id } = await anns.submitted([chatLine('a', 'Hello')]);
    await anns.settled(id);
    const bob = await browser.open(`${PAGE}?batch=${id}`, { email: BOB });
    await bob.page.getByText('There are no batches yet').waitFor();
    await bob.page.getByRole('dialog').getByRole('alert').waitFor();
    const { page } = await browser.open(`${PAGE}?batch=${id}`, { email: ADMIN });
    expect(await saved(page, 'Download the results')).toContain('"custom_id":"a"');
    expect(await page.getByRole('button', { name: 'Make a file of the failed rows' }).count()).toBe(0);
  });

  test('the owner cancels a batch with a key, and an administrator cannot', async () => {
    const slow = chatLine('a', '[[fault slow-first-byte]] [[delay 600]] Hello');
    const { id } = await anns.submitted(
      Array.from({ length: 200 }, (_, i) => slow.replace('"a"', `"a${i}"`)),
    );
    const admin = await browser.open(`${PAGE}?batch=${id}`, { email: ADMIN });
    await admin.page.getByText(`Only ${ANN} can cancel this batch`).waitFor();
    expect(await admin.page.getByRole('button', { name: 'Cancel the batch' }).count()).toBe(0);
    const { page } = await browser.open(`${PAGE}?batch=${id}`, { email: ANN });
    await page.getByText('Choose a key of yours above to cancel it.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create a key for this page' }).click();
    await page.getByRole('button', { name: id }).click();
    await page.getByRole('button', { name: 'Cancel the batch' }).click();
    await page.getByText('Requests that were answered keep their results').waitFor();
    const confirm = page.getByRole('dialog', { name: 'Cancel this batch?' });
    await confirm.getByRole('button', { name: 'Cancel the batch' }).click();
    await anns.until(id, ({ status }) => status === 'cancelled');
    await page.getByRole('dialog').getByText('cancelled').waitFor();
  });
});
