/** The playground in a browser, with models of every kind: what its tests have in common. */
import type { Locator, Page } from 'playwright-core';
import { sql } from '../../src/database/sql.ts';
import { parseUnits, printUnits } from '../../src/kernel/units.ts';
import { testConfig } from './config.ts';
import { ConsoleBrowser, type Opened } from './console-browser.ts';
import { startGateway, type TestGateway } from './gateway.ts';

export const ANN = 'ann@example.com';
export const PLAYGROUND = '/spaces/acme/playground';
/** Slow enough to be stopped halfway, fast enough to be waited for. */
const PACE_MS = 10;
const config = testConfig({
  models: {
    'sim-embed': {
      endpoints: ['embeddings'],
      capabilities: ['dimensions'],
      routes: [{ provider: 'simulator', model: 'sim-embed' }],
    },
    'sim-image': {
      endpoints: ['images'],
      capabilities: ['image_output'],
      routes: [{ provider: 'simulator', model: 'sim-image' }],
    },
  },
  prices: { 'sim-chat-classic': { input: 0.000001, output: 0.123457 }, 'sim-embed': { input: 0.1 } },
});

export class PlaygroundStage {
  readonly gateway: TestGateway;
  readonly browser: ConsoleBrowser;

  private constructor(gateway: TestGateway, browser: ConsoleBrowser) {
    this.gateway = gateway;
    this.browser = browser;
  }

  static async start(options: { paceMs?: number } = {}): Promise<PlaygroundStage> {
    const gateway = await startGateway({ paceMs: PACE_MS, config, ...options });
    await gateway.admin('members.add', { space: 'acme', email: ANN, role: 'member' });
    return new PlaygroundStage(gateway, new ConsoleBrowser(gateway));
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
  }

  /** The page of a member who has pasted a key. */
  async ready(search = ''): Promise<Opened> {
    const opened = await this.browser.open(`${PLAYGROUND}${search}`, { email: ANN });
    await opened.page.getByLabel('Paste a gateway key').fill(this.gateway.key);
    await opened.page.keyboard.press('Enter');
    return opened;
  }

  /** Units of an answer, as they are shown and as they were charged. */
  async costs(answer: Locator): Promise<[string | null, string]> {
    const id = await answer.getByRole('link', { name: 'Open the request' }).locator('code').textContent();
    const [row] = await this.gateway.query<{ cost: string | null }>(
      sql`select cost::text from calls where id = ${id}`,
    );
    const charged = row?.cost == null ? 'unknown' : printUnits(parseUnits(row.cost));
    return [await answer.locator('dl dd').last().textContent(), charged];
  }
}

/** An answer of a model; `number`: which one of the conversation. */
export function answerOf(page: Page, model: string, number = 1): Locator {
  const name = number === 1 ? `Answer of ${model}` : `Answer ${number} of ${model}`;
  return page.getByRole('region', { name, exact: true });
}

/** Sends a message, the first or the next one. */
export async function send(page: Page, prompt: string): Promise<void> {
  await page.getByLabel(/^(?:Prompt|Text|Next message)$/).fill(prompt);
  await page.keyboard.press('Control+Enter');
}
