/** The prices shown are the prices charged: for every model of the demo, with default options. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelObject, ModelPricing } from '../../src/contract/models.ts';
import { multiplyUnits, parseUnits, printUnits, sumUnits, type Units, ZERO } from '../../src/kernel/units.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { runCli } from '../support/run-cli.ts';
import { VideoStage } from '../support/video-jobs-stage.ts';

const demo = readFileSync(new URL('../../demo/tollgate.yaml', import.meta.url), 'utf8');

interface Answer {
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly estimated_cost: { readonly amount: string } | null;
}

describe('the prices of the demo', () => {
  let gateway: TestGateway;
  let models: readonly ModelObject[];
  beforeAll(async () => {
    const config = demo
      .replaceAll('${TOLLGATE_SIMULATOR_URL}', 'SIMULATOR_ORIGIN')
      .replaceAll('demo-simulator-key', 'simulator-key');
    gateway = await startGateway({ config: `${config}\nlimits: { video_poll_ms: 20 }\n` });
    const reply = await fetch(`${gateway.url}/v1/models`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    });
    models = ((await reply.json()) as { data: ModelObject[] }).data;
  });
  afterAll(() => gateway.stop());

  const ask = async (path: string, body: object): Promise<Answer> => {
    const reply = await gateway.post(path, body);
    expect([path, reply.status]).toEqual([path, 200]);
    return (await reply.json()) as Answer;
  };

  /** The cost calculated from the shown prices and the usage in the reply. */
  function ofTokens(pricing: ModelPricing, usage: Readonly<Record<string, unknown>>): string {
    const [read, written] = [
      usage.prompt_tokens ?? usage.input_tokens,
      usage.completion_tokens ?? usage.output_tokens,
    ];
    const details = (usage.prompt_tokens_details ?? usage.input_tokens_details ?? {}) as {
      cached_tokens?: number;
    };
    const cached = details.cached_tokens ?? 0;
    const at = (price: string | undefined, count: unknown): Units =>
      Number(count ?? 0) === 0
        ? ZERO
        : multiplyUnits(parseUnits(price as string), { count: Number(count), per: 1_000_000 });
    const input = at(pricing.input, Number(read) - cached);
    return printUnits(
      sumUnits([input, at(pricing.cached_input ?? pricing.input, cached), at(pricing.output, written)]),
    );
  }

  async function charged(
    model: ModelObject,
  ): Promise<{ shown: string | undefined; amount: string | undefined }> {
    const pricing = model.pricing as ModelPricing;
    const { id, endpoints } = model;
    const words = 'Reply with exactly: a price';
    if (endpoints.includes('/v1/video/generations')) {
      const videos = new VideoStage(gateway);
      const job = await videos.ended((await videos.created(words, { model: id })).id);
      const seconds = (job.usage as { seconds: number }).seconds;
      const shown = printUnits(
        multiplyUnits(parseUnits(pricing.per_second as string), { count: seconds, per: 1 }),
      );
      return { shown, amount: job.estimated_cost?.amount };
    }
    if (endpoints.includes('/v1/images/generations')) {
      const { estimated_cost } = await ask('/v1/images/generations', { model: id, prompt: words });
      return { shown: pricing.per_image, amount: estimated_cost?.amount };
    }
    const [path, body] = endpoints.includes('/v1/embeddings')
      ? ['/v1/embeddings', { input: words }]
      : endpoints.includes('/v1/chat/completions')
        ? ['/v1/chat/completions', { messages: [{ role: 'user', content: words }] }]
        : ['/v1/responses', { input: words }];
    const { usage, estimated_cost } = await ask(path as string, { model: id, ...(body as object) });
    return { shown: ofTokens(pricing, usage ?? {}), amount: estimated_cost?.amount };
  }

  test('are the charge of a call with default options, for every model', async () => {
    const callable = models.filter(({ id }) => !/^sim-fault-(error|cut)/.test(id));
    expect(callable.length).toBeGreaterThan(20);
    for (const model of callable) {
      const { shown, amount } = await charged(model);
      expect([model.id, amount]).toEqual([model.id, shown]);
    }
  });

  test('name the unit that each model is charged by', () => {
    for (const { id, endpoints, pricing } of models) {
      const per = endpoints.some((path) => path.includes('video'))
        ? 'second'
        : endpoints.some((path) => path.includes('images'))
          ? 'image'
          : '1000000_tokens';
      expect([id, pricing?.per]).toEqual([id, per]);
    }
  });

  test('list every size and quality of an image with the price that is charged', async () => {
    const { pricing } = models.find(({ id }) => id === 'sim-image') as ModelObject;
    const prices = pricing?.image_prices ?? [];
    expect(prices.filter((price) => price.default)).toEqual([
      { size: '1024x1024', quality: 'high', price: '0.167', default: true },
    ]);
    for (const { size, quality, price } of prices) {
      if (size === null || quality === null) continue;
      const asked = { model: 'sim-image', prompt: 'a price', size, quality };
      const { estimated_cost } = await ask('/v1/images/generations', asked);
      expect([size, quality, estimated_cost?.amount]).toEqual([size, quality, price]);
    }
  });

  test('list every resolution of a video', () => {
    const { pricing } = models.find(({ id }) => id === 'sim-video') as ModelObject;
    expect(pricing).toMatchObject({ per_second: '0.1' });
    expect(pricing?.second_prices).toEqual([
      { resolution: '1024p', price: '0.3', default: false },
      { resolution: null, price: '0.1', default: true },
    ]);
  });

  test('are the same on the command line', async () => {
    const { stdout } = await runCli(['models'], {
      cwd: gateway.folder,
      env: { TOLLGATE_CONFIG: gateway.configFile },
    });
    expect(stdout).toMatch(/^sim-image .*0\.167 per image \(0\.011 to 0\.25\)/m);
    expect(stdout).toMatch(/^sim-video .*0\.1 per second \(0\.1 to 0\.3\)/m);
  });
});
