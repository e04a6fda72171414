/** What the tests of images share: models of every kind of price, and looking at what came. */
import { expect, vi } from 'vitest';
import { encodePng } from '../../simulator/brain/png.ts';
import { sql } from '../../src/database/sql.ts';
import type { TestGateway } from './gateway.ts';
import { PATIENCE } from './patience.ts';

const options = `images: { sizes: [1024x1024, 1536x1024, 1024x1536, auto], qualities: [low, medium, high, auto], backgrounds: [transparent, opaque, auto], images_max: 4 }`;

/** `FAKE` becomes the address of a server of the test's own. */
export const imagesConfig = `
limits: { upstream_body_bytes: 20000000 }
providers:
  simulator: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
  gemini: { dialect: google, base_url: SIMULATOR_ORIGIN/v1beta, api_key: simulator-key, simulated: true }
  claude: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, api_key: simulator-key, simulated: true }
  fake: { dialect: openai-compatible, base_url: "FAKE", api_key: fake-key }
models:
  sim-chat: { capabilities: [streaming], routes: [{ provider: simulator, model: sim-chat }] }
  sim-image: { endpoints: [images], ${options}, routes: [{ provider: simulator, model: sim-image }] }
  by-tokens: { endpoints: [images], routes: [{ provider: simulator, model: sim-image }] }
  unpriced: { endpoints: [images], routes: [{ provider: simulator, model: sim-image }] }
  drawn-by-gemini: { endpoints: [images], routes: [{ provider: gemini, model: sim-image }] }
  drawn-by-claude: { endpoints: [images], routes: [{ provider: claude, model: sim-claude }] }
  fake-image: { endpoints: [images], routes: [{ provider: fake, model: fake-upstream }] }
  fake-by-tokens: { endpoints: [images], routes: [{ provider: fake, model: fake-upstream }] }
  sim-fault-error-429: { endpoints: [images], routes: [{ provider: simulator, model: sim-fault-error-429 }] }
  sim-fault-error-500: { endpoints: [images], routes: [{ provider: simulator, model: sim-fault-error-500 }] }
  sim-fault-cut-body: { endpoints: [images], routes: [{ provider: simulator, model: sim-fault-cut-body }] }
  sim-fault-not-json: { endpoints: [images], routes: [{ provider: simulator, model: sim-fault-not-json }] }
  sim-fault-html: { endpoints: [images], routes: [{ provider: simulator, model: sim-fault-html }] }
  sim-fault-error-body-200: { endpoints: [images], routes: [{ provider: simulator, model: sim-fault-error-body-200 }] }
prices:
  version: images-1
  models:
    sim-image:
      per_image: { 1024x1024/low: 0.011, 1024x1024/high: 0.167, 1536x1024: 0.3, medium: 0.05, default: 0.042 }
    by-tokens: { input: 5, image_input: 10, output: 40 }
    drawn-by-gemini: { input: 0.3, output: 30 }
    fake-image: { per_image: 0.02 }
    fake-by-tokens: { input: 5, image_input: 10, output: 40 }
`;

/** A picture of one colour, small but whole. */
export const png = Buffer.from(encodePng({ red: 200, green: 30, blue: 30 }, 16));

export function pngSize(bytes: Buffer): [number, number] {
  expect(bytes.toString('latin1', 0, 8)).toBe('\x89PNG\r\n\x1a\n');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

export interface CallRow {
  readonly outcome: string;
  readonly problem: string | null;
  readonly endpoint: string;
  readonly usage_source: string;
  readonly cost: string | null;
  readonly images: string | null;
  readonly input_tokens: string | null;
  readonly output_tokens: string | null;
  readonly image_input_tokens: string | null;
  readonly charge_lines: Array<{ component: string; count: number; price: string; amount: string }> | null;
}

/** The record of a call; those that failed are written after the answer. */
export async function callRow(gateway: TestGateway, id: string | null): Promise<CallRow> {
  return await vi.waitFor(async () => {
    const [row] = await gateway.query<CallRow>(sql`
      select outcome, problem, endpoint, usage_source, cost::text, images::text, input_tokens::text,
        output_tokens::text, image_input_tokens::text, charge_lines from calls where id = ${id}`);
    if (row === undefined) throw new Error(`no call ${id}`);
    return row;
  }, PATIENCE);
}
