/** What is shown is what is charged, also where the markup depends on the space, the model and the key. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { RoughBatchEstimator } from '../../src/client/rough-batch-estimate.ts';
import type { ModelObject, ModelPricing } from '../../src/contract/models.ts';
import { multiplyUnits, parseUnits, printUnits, sumUnits, type Units } from '../../src/kernel/units.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Ran, runCli } from '../support/run-cli.ts';

const config = `
providers:
  sim: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
models:
  plain: { batch: own, routes: [{ provider: sim, model: sim-chat }] }
  marked: { batch: own, routes: [{ provider: sim, model: sim-chat }] }
  hidden: { spaces: [acme], routes: [{ provider: sim, model: sim-chat }] }
prices:
  version: v1
  markup:
    - { factor: 1.5, model: marked }
    - { factor: 2, space: lab }
    - { factor: 3, space: lab, model: marked }
  models:
    plain: { input: 10, output: 20, request: 0.1, when: [{ context_above: 1000, factor: 2 }, { batch: true, factor: 0.5 }] }
    marked: { input: 10, output: 20, when: [{ batch: true, factor: 0.5 }] }
    hidden: { input: 1, output: 1 }
`;

interface Caller {
  readonly who: string;
  readonly space: string;
  readonly key: string;
  readonly id: string;
  /** The input prices of both models. */
  readonly input: readonly [plain: string, marked: string];
}

interface Answer {
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly estimated_cost: { readonly amount: string };
}

function tokens(price: string | undefined, count: number): Units {
  return multiplyUnits(parseUnits(price as string), { count, per: 1_000_000 });
}

/** By the prices that are shown. */
function costOf(pricing: ModelPricing, usage: Answer['usage'], { batch = false } = {}): Units {
  const { input, output, batch_input, batch_output, request = '0' } = pricing;
  return sumUnits([
    tokens(batch ? batch_input : input, usage.prompt_tokens),
    tokens(batch ? batch_output : output, usage.completion_tokens),
    parseUnits(request),
  ]);
}

/** 601 tokens. */
const LONG = 'word '.repeat(600);

describe('prices with markup', () => {
  let gateway: TestGateway;
  let callers: readonly Caller[];

  beforeAll(async () => {
    gateway = await startGateway({ config });
    await gateway.admin('spaces.create', { name: 'lab', overage: true });
    const make = (space: string, name: string) =>
      gateway.admin('keys.create', { space, name, kind: 'shared' });
    const [acme, lab, own] = [await make('acme', 'a'), await make('lab', 'b'), await make('lab', 'c')];
    const text = readFileSync(gateway.configFile, 'utf8');
    const rule = `  markup:\n    - { factor: 7, key: ${own.id} }\n    - { factor: 8, key: ${own.id}, model: marked }\n`;
    writeFileSync(
      gateway.configFile,
      text.replace('version: v1', 'version: v2').replace('  markup:\n', rule),
    );
    process.kill(process.pid, 'SIGHUP');
    await vi.waitFor(async () => {
      expect(await gateway.admin('installation.config')).toMatchObject({ price_version: 'v2' });
    }, PATIENCE);
    callers = [
      { who: 'a space without a markup', ...acme, input: ['10', '15'] },
      { who: 'a space with a markup', ...lab, input: ['20', '30'] },
      { who: 'a key with a markup', ...own, input: ['70', '80'] },
    ];
  });
  afterAll(() => gateway.stop());

  async function ask<Answer>(path: string, key: string): Promise<Answer> {
    const reply = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    expect(reply.status).toBe(200);
    return (await reply.json()) as Answer;
  }
  const cli = (...args: string[]): Promise<Ran> =>
    runCli(args, { cwd: gateway.folder, env: { TOLLGATE_CONFIG: gateway.configFile } });
  async function pricesOf({ key }: Caller): Promise<Record<string, ModelPricing>> {
    const { data } = await ask<{ data: ModelObject[] }>('/v1/models', key);
    return Object.fromEntries(data.map(({ id, pricing }) => [id, pricing as ModelPricing]));
  }

  test('are the charge of a call, for every space and key', async () => {
    for (const caller of callers) {
      const shown = await pricesOf(caller);
      expect([caller.who, shown.plain?.input, shown.marked?.input]).toEqual([caller.who, ...caller.input]);
      for (const model of ['plain', 'marked']) {
        const pricing = shown[model] as ModelPricing;
        expect((await ask<ModelObject>(`/v1/models/${model}`, caller.key)).pricing).toEqual(pricing);
        const reply = await gateway.chat(
          { model, messages: [{ role: 'user', content: 'Hello' }] },
          { authorization: `Bearer ${caller.key}` },
        );
        const { usage, estimated_cost } = (await reply.json()) as Answer;
        const cost = costOf(pricing, usage);
        expect([caller.who, model, estimated_cost.amount]).toEqual([caller.who, model, printUnits(cost)]);
      }
    }
  });

  test('are listed for a space by administration, and for a space or key by "tollgate models"', async () => {
    for (const caller of callers.slice(0, 2)) {
      const { data } = await gateway.admin('models.list', { space: caller.space });
      expect(data.map(({ id, pricing }) => [id, pricing])).toEqual(Object.entries(await pricesOf(caller)));
    }
    const [, lab, own] = callers as [Caller, Caller, Caller];
    const [ofSpace, ofKey, table, alone] = await Promise.all([
      cli('models', '--space', 'lab', '--json'),
      cli('models', '--space', 'lab', '--key', own.id, '--json'),
      cli('models'),
      cli('models', '--key', own.id),
    ]);
    for (const [ran, caller] of [
      [ofSpace, lab],
      [ofKey, own],
    ] as const) {
      expect([ran.code, ran.stderr]).toEqual([0, '']);
      const prices = (JSON.parse(ran.stdout) as ModelObject[]).map(({ id, pricing }) => [id, pricing]);
      expect(prices).toEqual(Object.entries(await pricesOf(caller)));
    }
    expect(table.stdout).toMatch(/^plain +10 +20 /m);
    expect(table.stderr).toBe(
      'Some spaces or keys have other prices: use --space NAME, and --key ID for a key.\n',
    );
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringMatching(/^tollgate: --key needs --space/)]);
  });

  test('are the charge of a batch, line by line', async () => {
    const words = 'Reply with exactly: yes';
    const lines = ['a', 'b'].map((id) => chatLine(id, words, { model: 'plain', max_tokens: 50 }));
    const charged = async (caller: Caller): Promise<void> => {
      const { plain } = await pricesOf(caller);
      const batches = new BatchStage(gateway, caller.key);
      const { output_file_id, settled_units } = await batches.settled((await batches.submitted(lines)).id);
      const results = [...(await batches.lines(output_file_id)).values()];
      const costs = results.map(({ response }) => {
        const { usage, estimated_cost } = (response as unknown as { body: Answer }).body;
        const cost = costOf(plain as ModelPricing, usage, { batch: true });
        expect(estimated_cost.amount).toBe(printUnits(cost));
        return cost;
      });
      expect([caller.who, settled_units]).toEqual([caller.who, printUnits(sumUnits(costs))]);
    };
    await Promise.all(callers.map(charged));
  });

  test('are those of the estimate of a batch, row by row', async () => {
    const own = callers[2] as Caller;
    const { batch_input, batch_output, request } = (await pricesOf(own)).plain as ModelPricing;
    const file = join(gateway.folder, 'batch.jsonl');
    // Together they are longer than the length from which a row costs more; each of them is not.
    const long = ['a', 'b'].map((id) => chatLine(id, LONG, { model: 'plain', max_tokens: 50 }));
    writeFileSync(file, `${long.join('\n')}\n`);
    const ran = await cli('batches', 'check', file, '--json', '--space', 'lab', '--key', own.id);
    const { estimate } = JSON.parse(ran.stdout);
    expect(estimate.input_tokens).toBeGreaterThan(1_000);
    const units = {
      input_units: tokens(batch_input, estimate.input_tokens),
      output_units_max: tokens(batch_output, 100),
      request_units: multiplyUnits(parseUnits(request as string), { count: 2, per: 1 }),
    };
    const printed = Object.entries(units).map(([name, amount]) => [name, printUnits(amount)]);
    expect(estimate).toMatchObject({
      ...Object.fromEntries(printed),
      units_max: printUnits(sumUnits(Object.values(units))),
    });
  });

  test('are those of the estimate in a browser, with the price of the requests', async () => {
    const { plain } = await pricesOf(callers[2] as Caller);
    const estimator = new RoughBatchEstimator();
    const messages = [{ role: 'user', content: 'Hello there, you' }];
    const body = { model: 'plain', messages, max_tokens: 50 };
    const model = { code: 'plain', batchRequires: null, outputCapField: null };
    for (let row = 0; row < 2; row++)
      estimator.add({
        endpoint: 'chat',
        model,
        body,
        customId: String(row),
        url: '/v1/chat/completions',
      } as never);
    // 2 × (5 × 35 + 50 × 70) / 1,000,000 + 2 × 0.7.
    expect(estimator.total(plain as ModelPricing)).toMatchObject({ unitsMax: '1.40735' });
  });
});
