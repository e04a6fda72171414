/** How every client library learns that something went wrong, and what it does then. */
import { expect, test } from 'vitest';
import { drawColour } from '../../simulator/brain/colours.ts';
import { type ClientGateway, type Dialect, dialects, models } from './client-gateway.ts';
import type { Failure, Library, LibraryUse } from './library.ts';

/** As often as the gateway itself tries; the next try is the client's. */
const ATTEMPTS = 3;

export function promiseFailures(use: LibraryUse, gateway: () => ClientGateway): void {
  const { name, own } = use;
  const open = (): Library => use.open(gateway());
  const failure = async (work: Promise<unknown>): Promise<Failure> => {
    const [outcome] = await Promise.allSettled([work]);
    if (outcome.status === 'fulfilled') return expect.fail('it did not fail');
    return open().failure(outcome.reason);
  };

  test(`${name}: a refusal arrives with its status, its code, its reason and a reference`, async () => {
    const stranger = use.open({ url: gateway().url, key: 'sk_nonsense' });
    const ask = { model: models[own], prompt: 'Hello' };
    const picture = { ...ask, model: 'text-only', image: drawColour('red') };
    const cases = [
      [open(), { ...ask, model: `${models[own]}x` }, 404, 'model_not_found', /Did you mean/],
      [stranger, ask, 401, 'invalid_credentials', /The key is cut off/],
      [open(), picture, 400, 'vision_not_supported', /does not support images/],
    ] as const;
    for (const [library, asking, status, code, reason] of cases) {
      for (const way of ['ask', 'stream'] as const) {
        const seen = await failure(library[way](asking));
        expect(seen, `${code} ${way}`).toMatchObject({ status, code });
        expect(seen.message).toMatch(reason);
        expect(seen.ref).toMatch(/^req_/);
      }
    }
  });

  test.each(dialects)(
    `${name}: a prompt that is too long has a code of its own and costs nothing, on %s`,
    async (on) => {
      const asking = { model: `${models[on]}-small`, prompt: 'word '.repeat(3_000) };
      const { result, rows } = await gateway().recorded(() => failure(open().ask(asking)));
      expect(result).toMatchObject({ status: 400, code: 'context_length_exceeded' });
      expect(rows).toMatchObject([{ id: result.ref, outcome: 'failed', input_tokens: null }]);
    },
  );

  test.each(dialects)(
    `${name}: an error during a stream comes after the words before it, on %s`,
    async (on) => {
      const pieces: string[] = [];
      const { result, rows } = await gateway().recorded(() => {
        const asking = { model: models[on], prompt: '[[fault error-in-stream]] Give me 60 words' };
        return failure(open().stream({ ...asking, onText: (piece) => pieces.push(piece) }));
      });
      expect(pieces.join('')).not.toBe('');
      expect(result.message).toMatch(/provider/i);
      expect(rows).toMatchObject([{ id: result.ref, outcome: 'partial' }]);
    },
  );

  test(`${name}: after a 429 it waits, retries by itself and pays once`, async () => {
    const asking = { model: `${models[own]}-busy`, prompt: 'Reply with exactly: here you are' };
    const patient = use.open(gateway(), { maxRetries: 1 });
    gateway().busy.refuse(ATTEMPTS);
    const { result, rows } = await gateway().recorded(() => patient.stream(asking), 2);
    expect(result.text).toBe('here you are');
    const outcomes = rows.map(({ outcome, problem }) => [outcome, problem]);
    expect(outcomes.sort()).toEqual([
      ['completed', null],
      ['failed', 'rate_limit_exceeded'],
    ]);
    gateway().busy.refuse(ATTEMPTS);
    const refused = await gateway().recorded(() => failure(open().ask(asking)));
    expect(refused.result).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    // The provider has time again, and its route is healthy for the next caller.
    expect(await open().ask(asking)).toMatchObject({ text: 'here you are' });
  });

  const translated = dialects.filter((on) => on !== own).at(-1) as Dialect;
  test.each([own, translated])(
    `${name}: an aborted stream stops the provider, and what came is paid, on %s`,
    async (on) => {
      const controller = new AbortController();
      const prompt = `[[fault endless]] ${name} leaves ${on}`;
      const { rows } = await gateway().recorded(async () => {
        const { signal } = controller;
        const asking = { model: models[on], prompt, signal, onText: () => controller.abort() };
        await Promise.allSettled([open().stream(asking)]);
      });
      const call = await gateway().simulator.waitFor(({ text, aborted }) => aborted && text.includes(prompt));
      expect(call.finished).toBe(false);
      expect(rows).toMatchObject([{ outcome: 'partial', problem: null, usage_source: 'estimated' }]);
      expect(Number(rows[0]?.output_tokens)).toBeGreaterThan(0);
    },
  );
}
