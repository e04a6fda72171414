/** Adding a provider: one adapter under one name, and a name without one does not compile. */
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../catalog/dialects/dialects.ts';
import { dialects } from '../catalog/dialects/dialects.ts';
import type { ProviderSettings } from '../catalog/provider-settings.ts';
import { Secret } from '../kernel/secret.ts';
import { systemClock } from '../kernel/time.ts';
import { adapters } from './adapters.ts';
import type { DialectAdapter, DialectAdapters } from './dialect-adapter.ts';
import type { Provider, TextProvider } from './provider.ts';
import { ProviderMask } from './provider-mask.ts';
import { ProviderRegistry } from './registry.ts';
import { statusProblem } from './status-problem.ts';

const tools = {
  clock: systemClock,
  connectTimeoutMs: 1_000,
  silenceTimeoutMs: 1_000,
  callTotalMs: 60_000,
  transferTotalMs: 60_000,
  mask: new ProviderMask(),
};

/** What the folder of a new dialect would export: a provider that repeats the prompt. */
const closed: string[] = [];
const echoText: TextProvider = {
  format: null,
  media: { oneBytesMax: 0, allBytesMax: 0, fetches: false, names: [] },
  relay: { outputCapField: null, asksUsage: false },
  send: () => ({ pause: () => undefined, resume: () => undefined, abort: () => undefined }),
  problem: (status) =>
    statusProblem(status, { message: '', cause: new Error(`provider answered ${status}`) }),
  writeRequest: ({ messages }) => ({ messages }),
  readAnswer: (body) => ({
    answers: [
      {
        parts: [{ type: 'text', text: body.toString('utf8') }],
        finish: { reason: 'stop', stopSequence: null, raw: 'stop' },
      },
    ],
    usage: null,
  }),
  readStream: (_, emit) => ({
    frame: (text) => emit({ type: 'text', answer: 0, text }),
    complete: false,
    usage: null,
    fault: null,
  }),
};
function echoProvider({ name, simulated }: ProviderSettings<'echo'>): Provider {
  const close = (): Promise<void> => Promise.resolve(void closed.push(name));
  return { name, simulated, texts: [echoText], close };
}

const echoAdapter: DialectAdapter<'echo'> = {
  create: echoProvider,
  probe: () => Promise.reject(new Error('nothing to ask')),
};

const settings = (
  name: string,
  dialect: Dialect | 'echo',
  apiKey = 'key',
): ProviderSettings<Dialect | 'echo'> => ({
  name,
  dialect,
  vendor: null,
  region: null,
  simulated: false,
  baseUrl: 'http://127.0.0.1:9/v1',
  apiKey: new Secret(apiKey),
});

const reading = { callId: 'call', mayCallTools: true };

describe('the registry', () => {
  test('accepts a new dialect as one adapter under its name', async () => {
    const withEcho: DialectAdapters<Dialect | 'echo'> = { ...adapters, echo: echoAdapter };
    const registry = new ProviderRegistry(tools, withEcho);
    registry.replace([settings('mine', 'echo'), settings('theirs', 'anthropic')]);
    expect(
      registry.get('mine').texts[0]?.readAnswer(Buffer.from('안녕'), reading)?.answers[0]?.parts,
    ).toEqual([{ type: 'text', text: '안녕' }]);
    expect(registry.get('theirs').texts[0]?.format).toBe('messages');
    await registry.close();
    expect(closed).toEqual(['mine']);
  });

  test('has an adapter for every dialect of the catalogue; one that is missing does not compile', () => {
    expect(Object.keys(adapters).sort()).toEqual([...dialects].sort());
    // @ts-expect-error: a dialect without a provider is a type error.
    const missing: DialectAdapters<Dialect | 'echo'> = adapters;
    expect(missing).not.toHaveProperty('echo');
  });

  test('keeps a provider with unchanged settings and returns the ones it replaced', async () => {
    const registry = new ProviderRegistry(tools, { ...adapters, echo: echoAdapter });
    registry.replace([settings('a', 'echo'), settings('b', 'echo'), settings('c', 'echo')]);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => registry.get(name));
    expect(registry.replace([settings('a', 'echo'), settings('b', 'echo', 'another-key')])).toEqual([b, c]);
    expect([registry.get('a') === a, registry.get('b') === b]).toEqual([true, false]);
    expect(() => registry.get('c')).toThrow('no provider c');
    await registry.close();
  });
});
