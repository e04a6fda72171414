/** A running gateway rejects a wrong sheet with its line and keeps its prices; a markup for nobody is only reported. */
import { unwatchFile, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MINUTE_MS } from '../../src/kernel/durations.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const config = `providers:
  sim: { dialect: openai, base_url: SIMULATOR, api_key: simulator-key, simulated: true }
models:
  sim-chat: { routes: [{ provider: sim, model: sim-chat }] }
prices:
  version: v1
  markup:
    - { factor: 2, space: acme }
  models:
    sim-chat: { input: 1, output: 1 }
provider_prices:
  version: v1
  currency: USD
  models:
    sim/sim-chat: { input: 1, output: 1 }
`;

/** What waits for a minute waits for a moment. */
const quickMinutes: Clock = {
  ...systemClock,
  after: (delayMs, work) => systemClock.after(delayMs === MINUTE_MS ? 200 : delayMs, work),
};

describe.each(engines)('a running gateway on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config, clock: quickMinutes });
    // Each test reloads by a signal; the file would be read once more at any time.
    unwatchFile(gateway.configFile);
  });
  afterAll(() => gateway.stop());

  /** Changes the file; the address of the simulator stands in line 2. */
  function reload(from: string, to: string): void {
    expect(config).toContain(from);
    const text = config.replace('SIMULATOR', gateway.simulator.url).replace(from, to);
    writeFileSync(gateway.configFile, text);
    process.kill(process.pid, 'SIGHUP');
  }
  async function logs(reason: RegExp): Promise<void> {
    await vi.waitFor(() => {
      const reasons = gateway.logged.flatMap(
        (line) => (JSON.parse(line) as { reason?: string }).reason ?? '',
      );
      expect(reasons).toContainEqual(expect.stringMatching(reason));
    }, PATIENCE);
  }
  async function pricing(key = gateway.key): Promise<object> {
    const reply = await fetch(`${gateway.url}/v1/models/sim-chat`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return ((await reply.json()) as { pricing: object }).pricing;
  }

  /** Rules of markup that apply to nobody, as the metrics say. */
  async function unmatched(): Promise<number> {
    const { metricsUrl } = await gateway.admin('status');
    const page = await (await fetch(metricsUrl as string)).text();
    return Number(/^tollgate_markup_unmatched (\d+)$/m.exec(page)?.[1]);
  }

  test.each([
    [
      'an unknown component',
      'sim/sim-chat: { input',
      'sim/sim-chat: { inptu',
      /:15:21: .* did you mean input\?$/,
    ],
    ['a markup for an unknown model', 'space: acme', 'model: sim-caht', /:8:20: .* you mean sim-chat\?$/],
    [
      'no batch price',
      'sim-chat: { routes',
      'sim-chat: { batch: own, routes',
      /:10:5: .*because the model has batch: own$/,
    ],
    [
      'a changed price',
      'input: 1, output: 1 }',
      'input: 9, output: 1 }',
      /:6:3: .*give the changed prices a new version$/,
    ],
  ])('rejects %s, naming line and column, and keeps its prices', async (_, from, to, reason) => {
    reload(from, to);
    await logs(reason);
    expect(await pricing()).toMatchObject({ input: '2', output: '2' });
  });

  test('accepts a markup for a space or key that does not exist, with a warning and a metric', async () => {
    const absent = 'key_01j9x8w7v6t5s4r3q2p1n0m9k8';
    const rule = '- { factor: 2, space: acme }';
    const sheet = `version: v1\n  markup:\n    ${rule}`;
    reload(
      sheet,
      `version: m1\n  markup:\n    ${rule}\n    - { factor: 3, space: acne }\n    - { factor: 4, key: ${absent} }`,
    );
    await logs(/:9:20: prices\.markup\[1\]\.space: there is no acne; did you mean acme\?$/);
    await logs(/:10:20: prices\.markup\[2\]\.key: there is no key_\w+; "tollgate keys list -o wide" shows/);
    await vi.waitFor(async () => {
      expect((await gateway.admin('installation.config')).price_version).toBe('m1');
    }, PATIENCE);
    expect(await unmatched()).toBe(2);
  });

  test('applies a markup as soon as its space exists, and no longer counts it', async () => {
    const rule = '- { factor: 2, space: acme }';
    const sheet = `version: v1\n  markup:\n    ${rule}`;
    reload(sheet, `version: m2\n  markup:\n    ${rule}\n    - { factor: 5, space: late }`);
    await vi.waitFor(async () => expect(await unmatched()).toBe(1), PATIENCE);
    await gateway.admin('spaces.create', { name: 'late' });
    const { key } = await gateway.admin('keys.create', { space: 'late', name: 'first', kind: 'shared' });
    expect(await pricing(key)).toMatchObject({ input: '5', output: '5' });
    await vi.waitFor(async () => expect(await unmatched()).toBe(0), PATIENCE);
    expect(gateway.logged.join('\n')).toContain('a markup applies now');
  });

  test('knows a markup for one of its keys, also after that was revoked', async () => {
    const { id } = await gateway.admin('keys.create', { space: 'acme', name: 'special', kind: 'shared' });
    const rule = '    - { factor: 2, space: acme }\n';
    const accepted = async (version: string): Promise<void> => {
      const sheet = `version: v1\n  markup:\n${rule}`;
      reload(sheet, `version: ${version}\n  markup:\n${rule}    - { factor: 3, key: ${id} }\n`);
      await vi.waitFor(async () => {
        const { price_version } = await gateway.admin('installation.config');
        expect(price_version).toBe(version);
      }, PATIENCE);
      expect(await unmatched()).toBe(0);
    };
    await accepted('v2');
    await gateway.admin('keys.revoke', { space: 'acme', name: 'special' });
    await accepted('v3');
  });
});
