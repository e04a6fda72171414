/** Long prompts: what coding agents send reaches the provider as it was written, whatever its size. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testConfig } from '../support/config.ts';
import { oneEngine } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const providers =
  '  anthropic: { dialect: anthropic, base_url: SIMULATOR_ORIGIN, api_key: simulator-key, simulated: true }';
const models = {
  agent: { capabilities: ['tools', 'streaming'], routes: [{ provider: 'simulator', model: 'sim-chat' }] },
  claude: { capabilities: ['tools', 'streaming'], routes: [{ provider: 'anthropic', model: 'sim-claude' }] },
};
/** 4 KB in the middle of what is cut out of a body, with all that JSON escapes, and some that it need not. */
const RESULT = 'line \\"one\\"\\n\\tl\\u00ednea \\/ dos → 줄 셋 \\ud83d\\ude00 \\\\ '.repeat(80);
/** Numbers that would not survive being parsed and written again. */
const PARAMETERS =
  '{ "type":"object", "properties":{"n":{"type":"number","minimum":1.0,"maximum":1e400,"multipleOf":1E-2}}}';

/** A conversation as text, so that every byte of it is chosen. */
function conversation(model: string, { turns, extra = '' }: { turns: number; extra?: string }): string {
  const turn = (i: number): string =>
    `{"role":"assistant","content":"Turn ${i}.","tool_calls":[{"id":"call_${i}","type":"function",` +
    `"function":{"name":"read","arguments":"{\\"path\\":\\"${'x'.repeat(1_200)}\\"}"}}]},\n` +
    ` {"role": "tool","tool_call_id":"call_${i}", "content":"${RESULT}"}`;
  const all = Array.from({ length: turns }, (_, i) => turn(i)).join(', ');
  return (
    `{ "messages":[{"role":"system","content":"${'Be brief. '.repeat(300)}"},{"role":"user","content":"Go"},${all}],\r\n` +
    `"model" : "${model}","tools":[{"type":"function","function":{"name":"read","parameters":${PARAMETERS}}}]${extra}}\n`
  );
}

describe.each(oneEngine('postgres', 'providers'))('long prompts on %s', (engine) => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway({ engine, config: testConfig({ providers, models }) });
  });
  afterAll(() => gateway.stop());

  /** In pieces of this size, without saying how many bytes will come. */
  async function send(body: string, size: number): Promise<Response> {
    const bytes = Buffer.from(body);
    let at = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(bytes.subarray(at, at + size));
        at += size;
        if (at >= bytes.length) controller.close();
      },
    });
    return await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    } as RequestInit);
  }

  test.each([
    [997, 20],
    [65_536, 60],
    [1_000_003, 60],
  ])('reach the provider byte for byte except the model name, in pieces of %i bytes', async (size, turns) => {
    const reply = await send(conversation('agent', { turns }), size);
    expect(await reply.json()).toMatchObject({ model: 'agent' });
    expect(gateway.simulator.calls.at(-1)?.text).toBe(conversation('sim-chat', { turns }));
  });

  test('reach the provider byte for byte with the request for usage in a stream', async () => {
    const reply = await send(conversation('agent', { turns: 30, extra: ',"stream":true' }), 65_536);
    expect(await reply.text()).toContain('data: [DONE]');
    const extra = ',"stream":true,"stream_options":{"include_usage":true}';
    expect(gateway.simulator.calls.at(-1)?.text).toBe(conversation('sim-chat', { turns: 30, extra }));
  });

  test('are translated with every text in full', async () => {
    const reply = await send(conversation('claude', { turns: 20 }), 65_536);
    expect(reply.status).toBe(200);
    const sent = gateway.simulator.calls.at(-1)?.body as {
      system: unknown;
      messages: Array<{ content: unknown }>;
    };
    expect(JSON.stringify(sent.system)).toContain('Be brief. '.repeat(300));
    const results = JSON.stringify(sent.messages).split(
      JSON.stringify(JSON.parse(`"${RESULT}"`)).slice(1, -1),
    );
    expect(results).toHaveLength(21);
    const calls = JSON.stringify(sent.messages).split(`"input":{"path":"${'x'.repeat(1_200)}"}`);
    expect(calls).toHaveLength(21);
  });

  test.each([
    ['a wrong escape', '\\x'],
    ['a raw line break', '\n'],
    ['a wrong unicode escape', '\\u12g4'],
  ])('with %s in a text are rejected and never sent', async (_, fault) => {
    const before = gateway.simulator.calls.length;
    const body = conversation('agent', { turns: 30 }).replace('줄 셋', fault);
    const reply = await send(body, 65_536);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ type: 'invalid_json' });
    expect(gateway.simulator.calls).toHaveLength(before);
  });
});
