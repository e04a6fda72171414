/** The code that the playground shows: run as it is, it makes the request that Send makes. */
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser-pages.ts';

import { answerOf, PlaygroundStage, send } from '../support/playground-stage.ts';

const run = promisify(execFile);
const GATEWAY = fileURLToPath(new URL('../..', import.meta.url));
/** Stands in for the packages `openai` and `anthropic`, which need no installation that way. */
const PYTHON_CLIENTS = fileURLToPath(new URL('../fixtures/python', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
/** What the shells and languages quote in different ways. */
const ODD = `It's "odd" \\n \${HOME} $(id) \`id\` '''\n\t통행료 🚧 </script> %s {x}`;

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const schema = JSON.stringify({ ...parameters, additionalProperties: false });
const cases = {
  chat: {
    search: 'models=sim-chat&mode=chat&temperature=0.5&max=50',
    tools: [{ type: 'function', function: { name: 'get_weather', parameters, strict: false } }],
  },
  responses: {
    search: 'models=sim-chat&mode=responses&temperature=0.5&max=50',
    tools: [{ type: 'function', name: 'get_weather', parameters, strict: null }],
  },
  messages: {
    search: 'models=sim-chat&mode=messages&temperature=0.5',
    tools: [{ name: 'get_weather', input_schema: parameters }],
  },
  embeddings: { search: 'models=sim-embed&dimensions=16', tools: null },
  image: { search: 'models=sim-image&size=1024x1024&quality=low', tools: null },
} as const;

describe.skipIf(!hasBrowser)('the code of the playground', () => {
  let stage: PlaygroundStage;
  beforeAll(async () => {
    stage = await PlaygroundStage.start({ paceMs: 0 });
  });
  afterAll(() => stage?.stop());

  async function codeIn(page: Page, language: string): Promise<string> {
    await page.getByRole('tab', { name: language }).click();
    return (await page.getByRole('dialog').locator('pre').textContent()) as string;
  }

  /** Runs the code; answers what it printed. */
  async function execute(language: string, code: string): Promise<string> {
    const env = { ...process.env, TOLLGATE_KEY: stage.gateway.key, PYTHONPATH: PYTHON_CLIENTS };
    const commands: Record<string, [string, string[]]> = {
      curl: ['sh', ['-c', `${code} -sS --fail`]],
      Python: ['python3', ['-c', code]],
      TypeScript: [process.execPath, ['--input-type=module-typescript', '--eval', code]],
    };
    const [program, args] = commands[language] as [string, string[]];
    const { stdout } = await run(program, args, {
      cwd: GATEWAY,
      env: { ...env, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' },
      maxBuffer: 32 * 1024 * 1024,
    });
    return stdout;
  }

  const languages = ['curl', 'TypeScript', ...(hasPython ? ['Python'] : [])];

  test.each(Object.entries(cases))(`of %s runs in ${languages.join(', ')}`, async (mode, of) => {
    const { page, troubles } = await stage.ready(`?${of.search}`);
    const prompt = `${ODD} ${mode}`;
    if (of.tools !== null) {
      await send(page, `Reply with exactly: ${ODD} before`);
      await answerOf(page, 'sim-chat').getByText('Finished').waitFor();
      await page.getByLabel('System prompt').fill(`${ODD} system`);
      await page.getByLabel('Tools').fill(JSON.stringify(of.tools));
      await page.getByLabel('JSON schema').fill(schema);
    }
    await page.getByLabel(/^(?:Prompt|Text|Next message)$/).fill(prompt);
    await page.getByRole('button', { name: 'View code' }).click();
    const { calls } = stage.gateway.simulator;
    const [before, codes] = [calls.length, new Map<string, string>()];
    for (const language of languages) codes.set(language, await codeIn(page, language));
    const printed = await Promise.all(languages.map((one) => execute(one, codes.get(one) as string)));
    for (const [place, text] of printed.entries()) expect(text.length, languages[place]).toBeGreaterThan(20);
    const made = calls.slice(before).map(({ text }) => JSON.parse(text) as object);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('section[data-phase=answered]').last().waitFor();
    const sent = await stage.gateway.simulator.waitFor((call) => calls.indexOf(call) >= before + made.length);
    expect(sent.text).toContain(JSON.stringify(prompt).slice(1, -1));
    if (of.tools !== null) expect(sent.text).toContain(JSON.stringify(`${ODD} before`).slice(1, -1));
    // A library may add defaults of its own, such as the encoding of embeddings.
    expect(made).toEqual(languages.map(() => expect.objectContaining(JSON.parse(sent.text))));
    expect(troubles).toEqual([]);
  });
});
