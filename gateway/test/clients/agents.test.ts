/**
 * Coding agents as they come: the requests of Codex and of Claude Code for a model code that they do not
 * know, on every dialect, streamed, with a tool that is called and answered.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { type DialectCase, dialectCases, matrixConfig, modelCode } from '../matrix/dialects.ts';
import type { Reply } from '../matrix/neutral-reply.ts';
import { isRefusal, readReply } from '../matrix/reply.ts';
import type { Item } from '../matrix/response-items.ts';
import { strictCases } from '../matrix/strict-models.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

interface Recorded {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

function recorded(name: string, prompt: string): Recorded {
  const text = readFileSync(new URL(`../fixtures/agents/${name}.json`, import.meta.url), 'utf8');
  return JSON.parse(text.replace('"PROMPT"', JSON.stringify(prompt))) as Recorded;
}

/** Models as strict as the real ones, too: an agent does not know what is behind a code. */
const cases = [...dialectCases, ...strictCases];
const VERSION = { 'anthropic-version': '2023-06-01' };
let gateway: TestGateway;
/** What the replies said that they cost. */
const costs: string[] = [];

beforeAll(async () => {
  gateway = await startGateway({ config: matrixConfig(cases) });
});
afterAll(() => gateway.stop());

async function answered(
  format: 'responses' | 'messages',
  dialect: DialectCase,
  { headers, body }: Recorded,
): Promise<Reply> {
  const model = modelCode(dialect, 'thinking');
  const path = format === 'responses' ? '/v1/responses' : '/v1/messages?beta=true';
  const response = await gateway.post(path, { model, ...body }, { ...headers });
  const reply = await readReply(response, { format, model, streamed: true, hidesUsage: false });
  if (isRefusal(reply)) return expect.fail(`${reply.param}: ${reply.detail}`);
  costs.push(reply.cost ?? '');
  return reply;
}

function lastSent(): string {
  return JSON.stringify(gateway.simulator.calls.at(-1)?.body);
}

const relayed = (dialect: DialectCase, format: 'responses' | 'messages'): boolean =>
  dialect.wires[format] === format;
const named = cases.map((dialect) => [dialect.name, dialect] as const);

describe('Codex', () => {
  test.each(named)('gets an answer from %s', async (_, dialect) => {
    const call = recorded('codex', 'Reply with exactly: It works');
    expect(await answered('responses', dialect, call)).toMatchObject({ text: 'It works', finish: 'stop' });
    if (relayed(dialect, 'responses')) expect(lastSent()).toContain('client_metadata');
    else expect(lastSent()).not.toMatch(/client_metadata|web_search|"namespace"/);
    expect(JSON.stringify(gateway.simulator.calls.at(-1)?.headers)).not.toMatch(/codex|session-id/);
  });

  test.each(named)('has a tool of a namespace called by %s, and its result read', async (_, dialect) => {
    const call = recorded('codex', 'Use close_agent, which is multi_agent_v1__close_agent');
    const reply = await answered('responses', dialect, call);
    const items = reply.echo as Item[];
    const calls = items.filter(({ type }) => type === 'function_call');
    expect(calls).toMatchObject([{ name: 'close_agent', namespace: 'multi_agent_v1' }]);
    const output = [{ type: 'input_text', text: 'closed' }];
    const result = { type: 'function_call_output', call_id: calls[0]?.call_id, output };
    const input = [...(call.body.input as object[]), ...items, result];
    const next = await answered('responses', dialect, { ...call, body: { ...call.body, input } });
    expect(next).toMatchObject({ text: 'The tool answered: closed', toolCalls: [] });
  });
});

describe('Claude Code', () => {
  test.each(named)('gets an answer from %s', async (_, dialect) => {
    const call = recorded('claude-code', 'Reply with exactly: It works');
    expect(await answered('messages', dialect, call)).toMatchObject({ text: 'It works', finish: 'stop' });
    expect(lastSent()).toContain('Environment and tools.');
    if (relayed(dialect, 'messages')) expect(lastSent()).toContain('DeferredToolPlaceholder');
    else expect(lastSent()).not.toMatch(/context_management|DeferredToolPlaceholder|device_id/);
  });

  test.each(named)('has a tool called by %s, and finds another', async (_, dialect) => {
    const call = recorded('claude-code', 'Use Read');
    const reply = await answered('messages', dialect, call);
    expect(reply.toolCalls).toMatchObject([{ name: 'Read' }]);
    const results = [
      {
        type: 'tool_result',
        tool_use_id: reply.toolCalls[0]?.id,
        content: [{ type: 'tool_reference', tool_name: 'WebFetch' }],
      },
      { type: 'text', text: 'Use WebFetch' },
    ];
    const messages = [
      ...(call.body.messages as object[]),
      { role: 'assistant', content: reply.echo },
      { role: 'user', content: results },
    ];
    const next = await answered('messages', dialect, { ...call, body: { ...call.body, messages } });
    expect(next.toolCalls).toMatchObject([{ name: 'WebFetch' }]);
  });

  test.each(named)(
    'needs no beta header for a system message in the conversation on %s',
    async (_, dialect) => {
      const { headers, body } = recorded('claude-code', 'Reply with exactly: It works');
      const { 'anthropic-beta': __, ...plain } = headers;
      const { context_management: ___, tools, ...rest } = body;
      const loaded = (tools as object[]).filter((tool) => !('defer_loading' in tool));
      const call = { headers: plain, body: { ...rest, tools: loaded } };
      expect(await answered('messages', dialect, call)).toMatchObject({ text: 'It works' });
      if (relayed(dialect, 'messages')) expect(lastSent()).toContain('"role":"system"');
    },
  );

  test('gets an error in words that it knows for what a provider of its own format does not take', async () => {
    const { headers, body } = recorded('claude-code', 'Hi');
    const beta = { ...headers, 'anthropic-beta': 'mid-conversation-system-2026-04-07' };
    const response = await gateway.post('/v1/messages', { model: 'anthropic-usual', ...body }, beta);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      detail: expect.stringContaining('context_management: Extra inputs are not permitted'),
    });
  });
});

test.each(['/v1/responses', '/v1/messages?beta=true', '/v1/chat/completions'])(
  'a wrong key on %s is answered with x-should-retry: false, so that agents stop',
  async (path) => {
    const wrong = { authorization: `Bearer ${gateway.key.slice(0, -1)}`, ...VERSION };
    for (const headers of [wrong, { authorization: '', ...VERSION }]) {
      const response = await gateway.post(path, {}, headers);
      expect(response.status).toBe(401);
      expect(response.headers.get('x-should-retry')).toBe('false');
    }
  },
);

test('what was answered is on record at the cost that was shown, and what was refused costs nothing', async () => {
  await vi.waitFor(async () => {
    const rows = await gateway.query<{ cost: string | null; outcome: string }>(
      sql`select cost, outcome from calls`,
    );
    const charged = rows.filter(({ cost }) => cost !== null);
    expect(charged.map(({ cost }) => Number(cost)).toSorted()).toEqual(costs.map(Number).toSorted());
    expect(rows.filter(({ cost }) => cost === null).every(({ outcome }) => outcome === 'failed')).toBe(true);
    expect(rows).toHaveLength(gateway.simulator.calls.length);
  }, PATIENCE);
});
