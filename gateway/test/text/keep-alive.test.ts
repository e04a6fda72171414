/** While a provider is silent, the stream to the caller is not, and clients go on as if nothing had been sent. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { SILENCE_MS } from '../../src/http/keep-alive-timer.ts';
import { anthropicClient, openaiClient } from '../support/clients.ts';
import { changeConfig, testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PassingClock } from '../support/passing-clock.ts';
import { PATIENCE } from '../support/patience.ts';

const clock = new PassingClock();
let gateway: TestGateway;
beforeAll(async () => {
  const capabilities = ['streaming'];
  const config = changeConfig(testConfig(), {
    providers: {
      anthropic: {
        dialect: 'anthropic',
        base_url: 'SIMULATOR_ORIGIN',
        api_key: 'simulator-key',
        simulated: true,
      },
    },
    models: { 'sim-claude': { capabilities, routes: [{ provider: 'anthropic', model: 'sim-chat' }] } },
    prices: { models: { 'sim-claude': { input: 1, output: 2 } } },
  });
  gateway = await startGateway({ config, clock });
});
afterAll(() => gateway.stop());
// A commit that was under way while the time of a silence passes would count as a database that does not answer.
afterEach(() =>
  vi.waitFor(async () => {
    const [row] = await gateway.query<{ count: number }>(sql`select count(*) from calls`);
    expect(Number(row?.count)).toBe(calls);
  }, PATIENCE),
);

const comment = ': keep-alive\n\n';
const ping = 'event: ping\ndata: {"type":"ping"}\n\n';

const version = { 'vendor-version': '2023-06-01' };
let calls = 0;

/** Lets the time of a silence pass when the provider has the request, and returns its prompt. */
function silentPrompt(fault: string): string {
  const mark = `silent-${++calls}.`;
  const arrived = gateway.simulator.waitFor((call) => call.text.includes(mark));
  arrived.then(
    () => clock.pass(SILENCE_MS + 1_000),
    () => undefined,
  );
  return `Reply with exactly: hello ${mark} ${fault}`;
}

/** What is sent up to the first keep-alive. */
async function sentUntilSilent(path: string, body: object, expected: string): Promise<string> {
  const reply = await gateway.post(path, { ...body, stream: true }, version);
  expect([reply.status, reply.status === 200 ? '' : await reply.text()]).toEqual([200, '']);
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of reply.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true });
    if (text.includes(expected)) return text;
  }
  return text;
}

test.each([
  ['chat', 'sim-chat', '/v1/chat/completions', comment],
  ['responses', 'sim-chat', '/v1/responses', comment],
  ['messages', 'sim-claude', '/v1/messages', ping],
  ['messages, translated', 'sim-chat', '/v1/messages', ping],
  ['responses, translated', 'sim-claude', '/v1/responses', comment],
])('before the first event of %s, the keep-alive of the format is sent', async (_, model, path, expected) => {
  const content = silentPrompt('[[fault hang]]');
  const input = path === '/v1/responses' ? { input: content } : { messages: [{ role: 'user', content }] };
  const more = path === '/v1/messages' ? { max_tokens: 100 } : {};
  expect(await sentUntilSilent(path, { model, ...input, ...more }, expected)).toBe(expected);
});

test.each(['sim-chat', 'sim-claude'])(
  'in the middle of a response of %s, the keep-alive has the number of the last event',
  async (model) => {
    const body = { model, input: silentPrompt('[[fault hang-mid-stream]]'), stream: true };
    const reply = await gateway.post('/v1/responses', body);
    expect([reply.status, reply.status === 200 ? '' : await reply.text()]).toEqual([200, '']);
    const decoder = new TextDecoder();
    let text = '';
    let passed = false;
    for await (const piece of reply.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(piece, { stream: true });
      if (text.includes('response.output_text.delta') && !passed) {
        passed = true;
        clock.pass(SILENCE_MS + 1_000);
      }
      if (passed && text.endsWith('\n\n') && /event: keepalive\n[^\n]*\n\n$/.test(text)) break;
    }
    const numbers = [...text.matchAll(/"type":"([\w.]+)"[^\n]*?"sequence_number":(\d+)/g)];
    const [before, last] = numbers.slice(-2);
    expect(last?.[1]).toBe('keepalive');
    expect(last?.[2]).toBe(before?.[2]);
  },
);

test('the libraries of OpenAI and Anthropic wait through a silence, and have the whole answer', async () => {
  const openai = openaiClient(gateway);
  const anthropic = anthropicClient(gateway, { defaultHeaders: version });
  for (const fault of ['slow-first-byte', 'pause-mid-stream']) {
    const slow = `[[fault ${fault}]] [[delay 300]]`;
    const input = silentPrompt(slow);
    const response = await openai.responses.stream({ model: 'sim-chat', input }).finalResponse();
    expect(response.output_text).toContain('hello');
    const messages = [{ role: 'user' as const, content: silentPrompt(slow) }];
    const asked = { model: 'sim-chat', max_tokens: 100, messages };
    const message = await anthropic.messages.stream(asked).finalMessage();
    expect(JSON.stringify(message.content)).toContain('hello');
  }
});
