import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FaultName, faultNames } from './faults.ts';
import { startSimulator } from './simulator.ts';
import { type Heard, post } from './testing/call-simulator.ts';
import {
  finishesIn,
  type Protocol,
  protocols,
  repliesIn,
  simulator,
  speak,
  textIn,
  usagesIn,
} from './testing/protocols.ts';

const TEXT = 'The quick brown 여우 jumps over the lazy 강아지 🙂 and back again.';
const ERRORS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  anthropic: {
    400: 'invalid_request_error',
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    500: 'api_error',
    503: 'api_error',
    529: 'overloaded_error',
  },
  gemini: {
    400: 'INVALID_ARGUMENT',
    401: 'UNAUTHENTICATED',
    403: 'PERMISSION_DENIED',
    404: 'NOT_FOUND',
    429: 'RESOURCE_EXHAUSTED',
    500: 'INTERNAL',
    503: 'UNAVAILABLE',
  },
};
/** These are about never ending, or about nothing that could be read. */
const ENDLESS: readonly FaultName[] = ['hang', 'hang-mid-stream', 'endless', 'huge-headers', 'reset'];

describe.each(Object.entries(protocols))('%s', (name, protocol: Protocol) => {
  const play = (fault: FaultName, stream: boolean, more: Parameters<typeof speak>[2] = {}): Promise<Heard> =>
    speak(protocol, `Reply with exactly: ${TEXT}`, { model: `sim-fault-${fault}`, stream, ...more });

  test('says the same whole and as a stream, and charges the same', async () => {
    const whole = await speak(protocol, 'Tell me.');
    const stream = await speak(protocol, 'Tell me.', { stream: true });
    expect([whole.status, stream.status]).toEqual([200, 200]);
    expect(textIn(protocol, whole.text).length).toBeGreaterThan(20);
    expect(textIn(protocol, stream.text)).toBe(textIn(protocol, whole.text));
    expect(finishesIn(protocol, stream.text)).toEqual(finishesIn(protocol, whole.text));
    expect(usagesIn(protocol, stream.text).at(-1)).toEqual(usagesIn(protocol, whole.text)[0]);
    const call = simulator.calls.at(-1);
    expect(call).toMatchObject({ model: 'sim-chat', stream: true });
  });

  test('is cut into as many content frames as asked', async () => {
    const { text } = await speak(protocol, `[[chunks 5]] Reply with exactly: ${TEXT}`, { stream: true });
    const pieces = repliesIn(text).filter((reply) => protocol.text(reply) !== '');
    expect(pieces).toHaveLength(5);
    expect(textIn(protocol, text)).toBe(TEXT);
  });

  test('fails with each status in its own shape', async () => {
    for (const fault of faultNames) {
      const status = Number(/^error-(\d+)$/.exec(fault)?.[1] ?? 502);
      if (status === 502) continue;
      const heard = await play(fault, true);
      expect(heard.status).toBe(status);
      const reason = protocol.error(JSON.parse(heard.text));
      expect(reason).toEqual(ERRORS[name]?.[status] ?? expect.any(String));
    }
    expect(protocol.error(JSON.parse((await play('error-body-200', false)).text))).toBeTypeOf('string');
  });

  test('leaks the key and the host on cue', async () => {
    const heard = await play('secret-leak', false, { key: 'sk-very-secret' });
    expect(heard.status).toBe(400);
    expect(heard.text).toMatch(/sk-very-secret.*org-\w+/);
    expect(heard.text).toContain(protocol.host);
  });

  test('breaks a stream off with an error of its own', async () => {
    const { text } = await play('error-in-stream', true);
    expect(protocol.error(repliesIn(text).at(-1) ?? {})).toBeTypeOf('string');
    expect(textIn(protocol, text).length).toBeGreaterThan(5);
    expect(finishesIn(protocol, text)).toEqual([]);
    expect(textIn(protocol, (await play('error-in-stream', false)).text)).toBe(TEXT);
  });

  test('can be cut, within a frame and between two', async () => {
    for (const fault of ['cut-stream', 'cut-frame'] as const) {
      const heard = await play(fault, true);
      expect(heard.broken).toBe('ECONNRESET');
      expect(TEXT.startsWith(textIn(protocol, heard.text))).toBe(true);
      expect(finishesIn(protocol, heard.text)).toEqual([]);
      expect(/\n\r?\n$/.test(heard.text)).toBe(fault === 'cut-stream');
    }
  });

  test('can end without a finish', async () => {
    const { text, broken } = await play('end-without-done', true);
    expect(broken).toBeNull();
    expect(textIn(protocol, text).length).toBeGreaterThan(TEXT.length / 2);
    expect(finishesIn(protocol, text)).toEqual([]);
  });

  test('tells usages that are missing, zero, absurd and double', async () => {
    for (const stream of [true, false]) {
      expect(usagesIn(protocol, (await play('missing-usage', stream)).text)).toEqual([]);
      expect(usagesIn(protocol, (await play('zero-usage', stream)).text).at(-1)).toEqual({
        input: 0,
        output: 0,
      });
      expect(usagesIn(protocol, (await play('absurd-usage', stream)).text).at(-1)?.input).toBe(-7);
    }
    const { text } = await play('double-usage', true);
    const outputs = usagesIn(protocol, text).map((usage) => usage.output);
    expect(outputs).toContain(Math.floor((outputs.at(-1) as number) / 2));
    expect(outputs.length).toBeGreaterThan(1);
  });

  test('stays readable in odd frames and beside garbage', async () => {
    const odd = await play('crlf', true);
    expect(textIn(protocol, odd.text)).toBe(TEXT);
    expect(finishesIn(protocol, odd.text)).toHaveLength(1);
    expect(textIn(protocol, (await play('crlf', false)).text)).toBe(TEXT);
    expect(textIn(protocol, (await play('invalid-sse', true)).text)).toBe(TEXT);
    const huge = await play('huge-line', true, { asking: { headers: { 'x-sim-bytes': '9000' } } });
    expect(textIn(protocol, huge.text)).toBe(TEXT);
  });

  test('has no fault that it cannot play', async () => {
    const headers = { 'x-sim-bytes': '9000', 'x-sim-delay-ms': '1', 'x-sim-pace-ms': '0' };
    for (const fault of faultNames.filter((it) => !ENDLESS.includes(it))) {
      for (const stream of [true, false]) {
        const { text } = await play(fault, stream, { asking: { headers } });
        expect(text, fault).not.toContain('simulator_bug');
      }
    }
    for (const fault of ['hang-mid-stream', 'endless'] as const) {
      const caller = new AbortController();
      const asking = { signal: caller.signal, onPiece: () => caller.abort() };
      expect((await play(fault, true, { asking })).broken).not.toBeNull();
    }
  });

  test('asks for its key in its own way', async () => {
    const guarded = await startSimulator({ apiKey: 'sk-right' });
    const status = async (headers: Record<string, string>): Promise<number> => {
      const url = guarded.origin + protocol.path('sim-chat', false);
      return (await post(url, protocol.body('hi', 'sim-chat', false), { headers })).status;
    };
    expect(await status(protocol.key('sk-right'))).toBe(200);
    expect(await status(protocol.key('sk-wrong'))).toBe(name === 'gemini' ? 400 : 401);
    expect(await status({ 'anthropic-version': '2023-06-01' })).toBe(name === 'gemini' ? 403 : 401);
    await guarded.stop();
  });

  test('has a considered answer to any request', async () => {
    const good = protocol.body('Use a please', 'sim-chat', false);
    const names = [...Object.keys(good), 'tools', 'tool_choice', 'thinking', 'output_config', 'system'];
    const more = ['generationConfig', 'toolConfig', 'systemInstruction', 'safetySettings', 'stop_sequences'];
    const odd = fc.jsonValue({ maxDepth: 4 });
    const damage = fc.record({ name: fc.constantFrom(...names, ...more), value: odd, deep: odd });
    await fc.assert(
      fc.asyncProperty(damage, async ({ name: field, value, deep }) => {
        for (const body of [{ ...good, [field]: value }, damaged(good, deep)]) {
          const heard = await post(simulator.origin + protocol.path('sim-chat', false), body, {
            headers: protocol.key('k'),
          });
          expect(heard.text).not.toContain('simulator_bug');
          expect([200, 400, 404]).toContain(heard.status);
        }
      }),
      { numRuns: 100 },
    );
  });
});

/** The request with something odd where the first message has its content. */
function damaged(body: Record<string, unknown>, odd: unknown): Record<string, unknown> {
  if (body.contents !== undefined) {
    return { ...body, contents: [{ role: 'user', parts: [odd, { text: odd }, { functionCall: odd }] }] };
  }
  return { ...body, messages: [{ role: 'user', content: [odd, { type: 'text', text: odd }] }, odd] };
}
