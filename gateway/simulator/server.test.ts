import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { faultNames } from './faults.ts';
import { Journal, type SeenCall } from './journal.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
import { ask, userPrompt } from './testing/call-simulator.ts';

const running: Simulator[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.stop()));
});

async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator(options);
  running.push(simulator);
  return simulator;
}

describe('the journal', () => {
  test('has every call with its headers and body', async () => {
    const simulator = await start();
    const body = userPrompt('hi', { stream: true });
    await ask(simulator.url, body, { headers: { 'X-Trace': 'abc' } });
    expect(simulator.calls).toMatchObject([
      {
        id: expect.stringMatching(/^req_/),
        model: 'sim-chat',
        stream: true,
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { 'x-trace': 'abc' },
        text: JSON.stringify(body),
        body,
        aborted: false,
        at: expect.any(Number),
      },
    ]);
    expect(await simulator.waitFor((call) => call.finished)).toBe(simulator.calls[0]);
  });

  test('wakes who waits for a call that comes later', async () => {
    const simulator = await start();
    const waiting = simulator.waitFor((call) => call.model === 'sim-chat-classic');
    await ask(simulator.url, userPrompt('one'));
    await ask(simulator.url, userPrompt('two', { model: 'sim-chat-classic' }));
    expect(await waiting).toBe(simulator.calls[1]);
  });

  test('marks a call aborted when the caller leaves, before the answer or within it', async () => {
    const simulator = await start();
    for (const fault of ['hang', 'hang-mid-stream', 'endless']) {
      const caller = new AbortController();
      const asked = ask(simulator.url, userPrompt('hi', { model: `sim-fault-${fault}`, stream: true }), {
        signal: caller.signal,
        onPiece: () => caller.abort(),
      });
      const call = await simulator.waitFor((seen) => seen.model === `sim-fault-${fault}`);
      if (fault === 'hang') caller.abort();
      await asked.catch(() => undefined);
      await simulator.waitFor((seen) => seen === call && seen.aborted);
      expect(call.finished).toBe(false);
    }
  });

  test('forgets the oldest calls when there are too many or they are too large', () => {
    const call = (text: string): SeenCall => ({ text, bytes: Buffer.alloc(0) }) as SeenCall;
    const many = new Journal();
    for (let i = 0; i < 25_000; i++) many.add(call(String(i)));
    expect(many.calls.length).toBeLessThanOrEqual(10_000);
    expect(many.calls.at(-1)?.text).toBe('24999');
    const large = new Journal();
    for (let i = 0; i < 10; i++) large.add(call('x'.repeat(30 * 1024 * 1024)));
    expect(large.calls).toHaveLength(4);
  });
});

describe('the server', () => {
  test('asks for its key where it has one', async () => {
    const simulator = await start({ apiKey: 'sk-simulated-key' });
    expect((await ask(simulator.url, userPrompt('hi'), { key: 'sk-simulated-key' })).status).toBe(200);
    const without = await ask(simulator.url, userPrompt('hi'));
    expect(without.status).toBe(401);
    expect(without.text).toContain("You didn't provide an API key");
    const wrong = await ask(simulator.url, userPrompt('hi'), { key: 'sk-wrong-key-of-mine' });
    expect(wrong.status).toBe(401);
    expect(JSON.parse(wrong.text)).toMatchObject({ error: { code: 'invalid_api_key' } });
    expect(wrong.text).not.toContain('sk-wrong-key-of-mine');
  });

  test('lists its models, the faulty ones among them', async () => {
    const simulator = await start();
    const list = (await (await fetch(`${simulator.url}/models`)).json()) as { data: Array<{ id: string }> };
    const names = list.data.map((model) => model.id);
    expect(names).toContain('sim-chat');
    expect(names).toEqual(expect.arrayContaining(faultNames.map((name) => `sim-fault-${name}`)));
  });

  test('has a considered answer to any request', async () => {
    const simulator = await start();
    const odd = fc.jsonValue({ maxDepth: 3 });
    const content = fc.oneof(
      odd,
      fc.string(),
      fc.array(fc.record({ type: fc.constantFrom('text', 'image_url'), text: odd, image_url: odd })),
    );
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant', 'tool', 'constructor'),
      content,
      tool_calls: odd,
    });
    const tool = fc.record({
      type: odd,
      function: fc.record({ name: fc.constantFrom('a', 'b'), parameters: odd }),
    });
    const body = fc.record(
      {
        model: fc.constantFrom('sim-chat', 'sim-chat-classic', 'sim-image-chat', 'constructor'),
        messages: fc.oneof(odd, fc.array(message, { minLength: 1 })),
        tools: fc.oneof(odd, fc.array(tool)),
        tool_choice: fc.oneof(odd, fc.constantFrom('auto', 'required')),
        response_format: fc.oneof(
          odd,
          fc.record({ type: fc.constantFrom('json_object', 'json_schema'), json_schema: odd }),
        ),
        stream: odd,
        stop: odd,
        n: fc.integer({ max: 9 }),
        max_completion_tokens: odd,
        reasoning_effort: fc.constantFrom('low', 'constructor'),
      },
      { requiredKeys: ['model', 'messages'] },
    );
    await fc.assert(
      fc.asyncProperty(body, async (request) => {
        const answer = await fetch(`${simulator.url}/chat/completions`, {
          method: 'POST',
          body: JSON.stringify(request),
        });
        expect(await answer.text()).not.toContain('simulator_bug');
        expect([200, 400, 404]).toContain(answer.status);
      }),
      { numRuns: 300 },
    );
  });

  test('answers 404 elsewhere and 405 to another method', async () => {
    const simulator = await start();
    expect((await fetch(`${simulator.url}/none`)).status).toBe(404);
    expect((await fetch(`${simulator.url}/chat/completions`)).status).toBe(405);
  });

  test('stops at once with calls under way, twice if asked, and tells who waits', async () => {
    const simulator = await start();
    const waiting = simulator.waitFor(() => false);
    const asked = ask(simulator.url, userPrompt('hi', { model: 'sim-fault-hang' }));
    const call = await simulator.waitFor((seen) => seen.model === 'sim-fault-hang');
    const outcomes = Promise.allSettled([waiting, asked]);
    await Promise.all([simulator.stop(), simulator.stop()]);
    expect((await outcomes).map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect(call.aborted).toBe(false);
  });
});
