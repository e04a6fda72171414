/** Shared by tests of batches at providers: the models in pairs, and what the provider created. */
import type { ShopBatch } from '../../simulator/batches/shop.ts';
import type { TestGateway } from './gateway.ts';

/** The same models twice: `own-…` run their batches in our workers, `their-…` at the provider. */
const upstream: Readonly<Record<string, { provider: string; model: string; more: string }>> = {
  chat: { provider: 'simulator', model: 'sim-chat', more: '' },
  embed: { provider: 'simulator', model: 'sim-embed', more: 'endpoints: [embeddings], ' },
  claude: { provider: 'anthropic', model: 'sim-claude', more: 'output_tokens_max: 4000, ' },
  azure: { provider: 'azure', model: 'sim-chat', more: '' },
  compatible: { provider: 'compatible', model: 'sim-chat', more: '' },
};
const capabilities = '[vision, tools, json_mode, json_schema, streaming, dimensions]';

const models = Object.entries(upstream).flatMap(([name, { provider, model, more }]) =>
  ['own', 'provider'].map(
    (engine) =>
      `  ${engine === 'own' ? 'own' : 'their'}-${name}: { batch: ${engine}, capabilities: ${capabilities}, ${more}` +
      `routes: [{ provider: ${provider}, model: ${model} }] }`,
  ),
);
const prices = Object.keys(upstream).flatMap((name) =>
  ['own', 'their'].map(
    (owner) =>
      `    ${owner}-${name}: { input: 2, cached_input: 1, output: 10, batch_input: 1, batch_output: 5 }`,
  ),
);

/** `unknownMs`: how long a batch without an answer may still appear. */
export const providerConfig = (unknownMs: number): string => `
providers:
  simulator: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
  anthropic: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, api_key: simulator-key, simulated: true }
  azure: { dialect: azure-openai, base_url: SIMULATOR_ORIGIN/openai/v1, api_key: simulator-key, simulated: true }
  compatible: { dialect: openai-compatible, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
models:
${models.join('\n')}
prices:
  version: test-1
  models:
${prices.join('\n')}
limits: { batch_poll_ms: 100, batch_unknown_ms: ${unknownMs} }
`;

export interface LineOptions {
  readonly url?: string;
  readonly body: Record<string, unknown>;
}

export function batchLine(customId: string, { url = '/v1/chat/completions', body }: LineOptions): string {
  const tier = url === '/v1/embeddings' ? {} : { service_tier: 'default' };
  return JSON.stringify({ custom_id: customId, method: 'POST', url, body: { ...tier, ...body } });
}

/** Chat lines that are answered with their numbers; the first line carries the cues. */
export function numbered(model: string, count: number, ...cues: string[]): string[] {
  return Array.from({ length: count }, (_, i) => {
    const said = i === 0 ? cues.map((cue) => `[[batch ${cue}]] `).join('') : '';
    const content = `${said}Reply with exactly: ${i}`;
    return batchLine(`row ${i}`, { body: { model, messages: [{ role: 'user', content }] } });
  });
}

/** The provider's batches for one of ours; there must never be two. */
export function madeOf(gateway: Pick<TestGateway, 'simulator'>, id: string): readonly ShopBatch[] {
  return gateway.simulator.shop.batches.filter((batch) => batch.lines[0]?.customId.startsWith(`${id}-`));
}
