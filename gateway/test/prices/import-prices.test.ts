/** `tollgate prices import` and `check`, as an operator runs them. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCatalog } from '../../src/catalog/read-catalog.ts';
import { readConfigFile } from '../../src/config/config-file.ts';
import { type Ran, runCli } from '../support/run-cli.ts';

const config = `# Our gateway.
providers:
  openai: { only_if: "\${OPENAI_API_KEY:-}", dialect: openai, base_url: https://api.openai.com/v1 } # no key here
  grok: { dialect: openai-compatible, base_url: https://api.x.ai/v1 }
models:
  gpt: { routes: [{ provider: openai, model: gpt-9 }] }
  grok: { routes: [{ provider: grok, model: grok-9 }] }
  bare: { routes: [{ provider: openai, model: unheard-of }] }
prices:
  version: "2026-10"
  models:
    gpt: { input: 5, output: 20 } # too low
`;

const csv = `provider,model,component,price
openai,gpt-9,input,5
openai,gpt-9,output,30
xai,grok-9,input,2
xai,grok-9,output,6
`;
const grok = { litellm_provider: 'xai', input_cost_per_token: 2.5e-6, output_cost_per_token: 6e-6 };

let folder: string;
const path = (name: string): string => join(folder, name);
const read = (): string => readFileSync(path('tollgate.yaml'), 'utf8');
const prices = (...args: string[]): Promise<Ran> =>
  runCli(['prices', ...args, '--config', path('tollgate.yaml')], { cwd: folder });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-test-prices-'));
  writeFileSync(path('tollgate.yaml'), config);
  writeFileSync(path('prices.csv'), csv);
  writeFileSync(path('second.json'), JSON.stringify({ 'xai/grok-9': grok }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('shows the differences and where two sources disagree, and writes nothing', async () => {
  const { stdout, code } = await prices('import', 'prices.csv', '--from', 'csv', '--also', 'second.json');
  expect(code).toBe(0);
  expect(stdout).toMatch(/gpt +output +changed +20 +30/);
  expect(stdout).toMatch(/grok +input +sources disagree +- +2 +2\.5/);
  expect(stdout).not.toMatch(/gpt +input/);
  expect(stdout).toContain('Not in the source, left as they are: bare');
  expect(stdout).toContain('Nothing was written');
  expect(read()).toBe(config);
});

test('writes a new version with day and source, but not the models about which the sources disagree', async () => {
  const origin = ['--as-of', '2026-11-15', '--source', 'our list'];
  chmodSync(path('tollgate.yaml'), 0o640);
  const ran = await prices('import', 'prices.csv', '--also', 'second.json', '--write', ...origin);
  expect(ran.stdout).toContain('version 2026-11-15');
  expect(read()).toContain('# no key here');
  expect(statSync(path('tollgate.yaml')).mode & 0o777).toBe(0o640);
  const content = readConfigFile(read(), {});
  expect(content.prices).toEqual({
    version: '2026-11-15',
    models: { gpt: { input: '5', output: '30', as_of: '2026-11-15', source: 'our list' } },
  });
  expect(JSON.stringify(readCatalog(content, 0).priceSheet)).not.toMatch(/as_of|our list/);
});

test('check lists what is old or missing, and exits with 1', async () => {
  const { stdout, code } = await prices('check', '--days', '36500');
  expect(code).toBe(1);
  expect(stdout).toMatch(/bare +missing +prices +every call is unpriced/);
  expect(stdout).not.toContain('stale');
});

test('a bad file is named with the line, and nothing is written', async () => {
  const before = read();
  writeFileSync(path('bad.csv'), 'provider,model,component,price\nopenai,gpt-9,input,cheap\n');
  const { stderr, code } = await prices('import', 'bad.csv', '--write');
  expect([code, stderr]).toEqual([1, expect.stringContaining('bad.csv: line 2: price must be a number')]);
  expect(read()).toBe(before);
});
