/** A call that a provider failed: one line in the log, and what the provider said for operators only. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AdminClient } from '../support/admin-client.ts';
import { faultModels, testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

const faults = ['error-400', 'error-401', 'secret-leak', 'cut-stream'] as const;

describe.each(engines)('on %s', (engine) => {
  let gateway: TestGateway;
  let operator: AdminClient;
  let administrator: AdminClient;
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: testConfig({ models: { ...faultModels(faults) } }) });
    const ofSpace = await gateway.admin('tokens.create', { space: 'acme', name: 'ci', access: 'read' });
    const ofAll = await gateway.admin('operatorTokens.create', { name: 'ops', access: 'read' });
    administrator = new AdminClient(gateway, ofSpace.token);
    operator = new AdminClient(gateway, ofAll.token);
  });
  afterAll(() => gateway.stop());

  /** The request id of a call to a fault, and every log line about it. */
  async function fail(fault: (typeof faults)[number], stream = false) {
    const messages = [{ role: 'user', content: 'a prompt that no log may repeat' }];
    const answer = await gateway.chat({ model: `sim-fault-${fault}`, messages, stream });
    const text = await answer.text();
    const id = answer.headers.get('x-request-id') ?? '';
    const lines = () => gateway.logged.filter((line) => line.includes(id));
    await vi.waitFor(() => expect(lines()).not.toEqual([]), PATIENCE);
    return { id, text, lines: lines().map((line) => JSON.parse(line)) };
  }

  /** A refusal is stored after the answer, and maybe after the row of the call. */
  const explained = (client: AdminClient, ref: string) =>
    vi.waitFor(async () => {
      const { status, body } = await client.call('why', { ref });
      expect(status).toBe(200);
      expect(body.refusal).not.toBeNull();
      return body;
    }, PATIENCE);

  test.each([
    ['error-400', false, 400],
    ['error-401', false, 401],
    ['cut-stream', true, undefined],
  ] as const)('%s is one line with provider, route, model, space and key', async (fault, stream, status) => {
    const { id, lines } = await fail(fault, stream);
    const { data } = await gateway.admin('keys.list', { space: 'acme' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      ...{ error_ref: id, request_id: id, endpoint: 'createChatCompletion', provider: 'simulator' },
      ...{ route: `sim-fault-${fault}/0`, model: `sim-fault-${fault}`, upstream_model: `sim-fault-${fault}` },
      ...{ space_id: expect.stringMatching(/^spc_/), key_id: data[0]?.id, attempts: 1 },
    });
    expect(lines[0].provider_status).toBe(status);
    expect(JSON.stringify(lines)).not.toContain('a prompt that no log may repeat');
  });

  test('why shows operators what the provider said, and nobody else', async () => {
    const { id, text } = await fail('error-401');
    const { facts } = (await explained(operator, id)).refusal;
    expect(facts).toMatchObject({
      provider: 'simulator',
      route: 'sim-fault-error-401/0',
      provider_status: 401,
    });
    expect(facts.provider_said).toMatch(/"error":\{/);
    const seen = await explained(administrator, id);
    expect(seen.refusal).toMatchObject({ type: 'upstream_error', facts: null });
    expect(JSON.stringify(seen) + text).not.toMatch(/simulator|provider_said/);
    const { body } = await administrator.call('requests.get', { space: 'acme', request: id });
    expect(JSON.stringify(body)).not.toMatch(/provider_said|"simulator"/);
  });

  test('a secret that the provider repeats is masked there, and the text is short', async () => {
    const { id } = await fail('secret-leak');
    const { facts } = (await explained(operator, id)).refusal;
    expect(facts.provider_said).not.toContain('simulator-key');
    expect(facts.provider_said).toMatch(/\[secret\]/);
    expect(facts.provider_said.length).toBeLessThanOrEqual(1_000);
  });
});
