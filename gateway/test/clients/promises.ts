/** What every client library is promised, whatever it speaks and whatever dialect is behind the model. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawColour } from '../../simulator/brain/colours.ts';
import type { Engine } from '../support/engines.ts';
import { type ClientGateway, dialects, models, startClientGateway } from './client-gateway.ts';
import { promiseFailures } from './failure-promises.ts';
import { type LibraryUse, ToolBench, type Used, Weather } from './library.ts';

type TheGateway = () => ClientGateway;

/** Runs the promises, and those that one library alone is given. */
export function describeClient(
  title: string,
  engines: readonly Engine[],
  uses: readonly LibraryUse[],
  more: (gateway: TheGateway) => void = () => undefined,
): void {
  describe.each(engines)(`${title} on %s`, (engine) => {
    let started: ClientGateway;
    const gateway = (): ClientGateway => started;
    beforeAll(async () => {
      started = await startClientGateway(engine);
    });
    afterAll(() => started.stop());

    for (const use of uses) {
      promiseCounts(use, gateway);
      promiseAnswers(use, gateway);
      promiseFailures(use, gateway);
    }
    more(gateway);
  });
}

/** Some of the prompt comes from a cache: counted once all the same. */
const SYSTEM = '[[cached 4]] Be exact, be brief, be on time, and never repeat yourself.';

function promiseCounts(use: LibraryUse, gateway: TheGateway): void {
  const { name, knowsOfStream = everything } = use;

  test.each(dialects)(
    `${name}: an answer is the same whole and streamed, and counted once, on %s`,
    async (on) => {
      const library = use.open(gateway());
      const asking = { model: models[on], prompt: 'Tell me about 서울 in 30 words', system: SYSTEM };
      const whole = await gateway().recorded(() => library.ask(asking));
      const pieces: string[] = [];
      const listening = { ...asking, onText: (piece: string) => pieces.push(piece) };
      const streamed = await gateway().recorded(() => library.stream(listening));
      expect(whole.result.text.split(' ')).toHaveLength(30);
      expect(streamed.result.text).toBe(whole.result.text);
      expect(pieces.length).toBeGreaterThan(2);
      expect(pieces.join('')).toBe(whole.result.text);
      expect(whole.result.usage).toEqual(whole.used);
      expect(streamed.result.usage).toMatchObject(knowsOfStream(streamed.used, on));
      for (const { rows, used } of [whole, streamed]) {
        expect(rows).toMatchObject([{ model: models[on], outcome: 'completed', usage_source: 'provider' }]);
        expect(used.input).toBeGreaterThan(20);
      }
    },
  );

  test.each(dialects)(`${name}: the model hears its own earlier words, on %s`, async (on) => {
    const prompts = ['Say something in 12 words', 'And in 5 words'];
    const [first = '', second = ''] = await use.open(gateway()).talk(models[on], prompts);
    expect(first.split(' ')).toHaveLength(12);
    expect(second.split(' ')).toHaveLength(5);
    const heard = gateway().simulator.calls.at(-1)?.text;
    expect(heard).toContain(prompts[0]);
    expect(heard).toContain(first);
  });
}

function promiseAnswers(use: LibraryUse, gateway: TheGateway): void {
  const { name, knowsOfStream = everything } = use;
  const both = [
    ['useTools', everything],
    ['streamTools', knowsOfStream],
  ] as const;

  const useTools = async (
    asking: { model: string; thinks?: true },
    on: (typeof dialects)[number],
  ): Promise<void> => {
    for (const [way, known] of both) {
      const bench = new ToolBench();
      const prompt = 'Ask get_weather and get_time about 서울';
      const library = use.open(gateway());
      const { result, rows, used } = await gateway().recorded(
        () => library[way]({ ...asking, prompt }, bench),
        2,
      );
      expect(bench.used, way).toEqual([
        { tool: 'get_weather', input: { city: expect.any(String) } },
        { tool: 'get_time', input: { zone: expect.any(String) } },
      ]);
      expect(result.text).toContain('21 degrees');
      expect(result.text).toContain('half past nine');
      expect(rows).toHaveLength(2);
      expect(result.usage, way).toMatchObject(known(used, on));
    }
  };

  test.each(dialects)(`${name}: two tools are called and their results answered, counted once, on %s`, (on) =>
    useTools({ model: models[on] }, on),
  );

  test.each(use.shows)(`${name}: a model that shows its thoughts calls tools as well, on %s`, (on) =>
    useTools({ model: models[on], thinks: true }, on),
  );

  test.each(use.shows)(
    `${name}: thoughts are shown when asked for, whole and streamed, on %s`,
    async (on) => {
      const library = use.open(gateway());
      const asking = { model: models[on], prompt: '[[think]] Reply with exactly: done', thinks: true };
      for (const [way, known] of [
        ['ask', everything],
        ['stream', knowsOfStream],
      ] as const) {
        const { result, used } = await gateway().recorded(() => library[way](asking));
        const thoughts = expect.stringContaining('Thinking about');
        expect(result, way).toMatchObject({ text: 'done', thoughts, usage: known(used, on) });
      }
    },
  );

  test.each(dialects)(
    `${name}: an answer fits the schema it was asked for, whole and streamed, on %s`,
    async (on) => {
      const library = use.open(gateway());
      for (const way of ['fill', 'streamFill'] as const) {
        const asking = { model: models[on], prompt: 'How is the weather in 서울?' };
        const { result, rows, used } = await gateway().recorded(() => library[way](asking));
        expect(Weather.parse(result.value), way).toEqual(result.value);
        expect(rows).toHaveLength(1);
        if (result.usage !== null) expect(result.usage, way).toEqual(used);
      }
    },
  );

  test.each(dialects)(`${name}: a picture is seen, on %s`, async (on) => {
    const asking = { model: models[on], prompt: 'What colour?', image: drawColour('red') };
    const { result, used } = await gateway().recorded(() => use.open(gateway()).ask(asking));
    expect(result).toMatchObject({ text: 'The image is mostly red.', usage: used });
  });
}

const everything = (used: Used): Used => used;
