/** A running gateway rejects a wrong sheet with its line, and keeps charging the prices it had. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
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

describe.each(engines)('a running gateway on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config });
  });
  afterAll(() => gateway.stop());

  /** Changes the file; the address of the simulator stands in line 2. */
  function reload(from: string, to: string): void {
    expect(config).toContain(from);
    const text = config.replace('SIMULATOR', gateway.simulator.url).replace(from, to);
    writeFileSync(gateway.configFile, text);
    process.kill(process.pid, 'SIGHUP');
  }
  async function pricing(): Promise<object> {
    const reply = await fetch(`${gateway.url}/v1/models/sim-chat`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    });
    return ((await reply.json()) as { pricing: object }).pricing;
  }

  test.each([
    [
      'an unknown component',
      'sim/sim-chat: { input',
      'sim/sim-chat: { inptu',
      'did you mean input? (line 15)',
    ],
    ['a markup for an unknown model', 'space: acme', 'model: sim-caht', 'you mean sim-chat? (line 8)'],
    ['a markup for an unknown space', 'space: acme', 'space: acne', 'did you mean acme? (line 8)'],
    [
      'a markup for an unknown key',
      'space: acme',
      'key: key_01j9x8w7v6t5s4r3q2p1n0m9k8',
      'there is no key_01j9x8w7v6t5s4r3q2p1n0m9k8; "tollgate keys list -o wide" shows the ids (line 8)',
    ],
    [
      'no batch price',
      'sim-chat: { routes',
      'sim-chat: { batch: own, routes',
      'because the model has batch: own (line 10)',
    ],
    [
      'a changed price',
      'input: 1, output: 1 }',
      'input: 9, output: 1 }',
      'give the changed prices a new version (line 6)',
    ],
  ])('rejects %s, naming the line, and keeps its prices', async (_, from, to, reason) => {
    reload(from, to);
    await vi.waitFor(() => {
      const reasons = gateway.logged.flatMap(
        (line) => (JSON.parse(line) as { reason?: string }).reason ?? '',
      );
      expect(reasons).toContainEqual(expect.stringContaining(reason));
    }, PATIENCE);
    expect(await pricing()).toMatchObject({ input: '2', output: '2' });
  });

  test('accepts a markup for one of its keys, also after that was revoked', async () => {
    const { id } = await gateway.admin('keys.create', { name: 'special', kind: 'shared' });
    const rule = '    - { factor: 2, space: acme }\n';
    const accepted = async (version: string): Promise<void> => {
      const sheet = `version: v1\n  markup:\n${rule}`;
      reload(sheet, `version: ${version}\n  markup:\n${rule}    - { factor: 3, key: ${id} }\n`);
      await vi.waitFor(async () => {
        const { price_version } = await gateway.admin('installation.config');
        expect(price_version).toBe(version);
      }, PATIENCE);
    };
    await accepted('v2');
    await gateway.admin('keys.revoke', { name: 'special' });
    await accepted('v3');
  });
});
