/** What the tests of the messages format share: models of both kinds, and ways to call them. */
import type Anthropic from '@anthropic-ai/sdk';
import { sql } from '../../src/database/sql.ts';
import type { TestGateway } from './gateway.ts';

const everything = '[vision, tools, json_mode, json_schema, streaming]';
/** Each fault has a route of its own, because a route that fails often is left alone for a while. */
const faults = ['error-400', 'error-401', 'error-429', 'error-529', 'not-json'] as const;
const faulty = faults.map(
  (fault) => `  sim-fault-${fault}: { routes: [{ provider: claude, model: sim-fault-${fault} }] }`,
);

/** `sim-claude` is called in its own dialect, `sim-chat` through a translation. */
export const messagesConfig = `
server: { fetch_allow: [example.com] }
providers:
  claude: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, api_key: simulator-key, simulated: true }
  with-v1: { dialect: anthropic, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
  simulator: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
models:
  sim-claude: { capabilities: ${everything}, routes: [{ provider: claude, model: sim-up }] }
  sim-claude-v1: { capabilities: ${everything}, routes: [{ provider: with-v1, model: sim-up }] }
  sim-chat: { capabilities: ${everything}, routes: [{ provider: simulator, model: sim-chat }] }
  chat-only: { endpoints: [chat], capabilities: ${everything}, routes: [{ provider: simulator, model: sim-chat }] }
${faulty.join('\n')}
prices:
  version: test-1
  models:
    sim-claude: { input: 3, cached_input: 0.3, cache_write: 3.75, output: 15 }
    sim-chat: { input: 2.5, cached_input: 0.25, output: 10 }
`;

export const weather = {
  name: 'get_weather',
  description: 'Tells the weather.',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
};

export interface CallRow {
  readonly cost: string;
  readonly outcome: string;
  readonly usage_source: string;
  readonly endpoint: string;
}

export function ask(
  model: string,
  content: string,
  more: object = {},
): Anthropic.MessageCreateParamsNonStreaming {
  return { model, max_tokens: 2_000, messages: [{ role: 'user', content }], ...more };
}

export function send(
  gateway: TestGateway,
  body: object,
  headers: Record<string, string> = { 'vendor-version': '2023-06-01' },
): Promise<Response> {
  return gateway.post('/v1/messages', body, headers);
}

export async function refusal(reply: Response): Promise<Record<string, unknown>> {
  return { status: reply.status, ...((await reply.json()) as Record<string, unknown>) };
}

export async function callRow(gateway: TestGateway, id: string | null): Promise<CallRow> {
  const [row] = await gateway.query<CallRow>(sql`select * from calls where id = ${id}`);
  if (row === undefined) throw new Error(`no call ${id}`);
  return row;
}
