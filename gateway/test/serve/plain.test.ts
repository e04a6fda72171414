/** The product works without any inside of Node and V8: docs/performance.md names them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { pointAt, testConfig, withBatches } from '../support/config.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';
import { type Administer, administerAt } from '../support/gateway.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';

/** More than a block of memory, with escapes that a scanner has to follow. */
const LONG = 'a "quoted" word, a \\ and an é\n'.repeat(15_000);

describe.each(engines)('a server without the insides of Node and V8, on %s', (engine) => {
  let place: TestPlace;
  let simulator: Simulator;
  let server: GatewayProcess;
  let admin: Administer;
  let key: string;
  beforeAll(async () => {
    place = await makePlace(engine);
    simulator = await startSimulator({ apiKey: 'simulator-key' });
    const configFile = join(place.folder, 'tollgate.yaml');
    writeFileSync(configFile, pointAt(withBatches(testConfig()), { simulator }));
    const { folder, databaseUrl } = place;
    server = await startGatewayProcess({ folder, configFile, databaseUrl, env: { TOLLGATE_PLAIN: 'all' } });
    admin = administerAt(folder);
    await admin('spaces.create', { name: 'acme', overage: true });
    await admin('grants.add', { amount: '1000', kind: 'paid' });
    ({ key } = await admin('keys.create', { name: 'test', kind: 'shared' }));
  });
  afterAll(async () => {
    await server?.kill();
    await simulator?.stop();
    await place?.remove();
  });

  const chat = (content: string, stream: boolean): Promise<Response> =>
    fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim-chat', stream, messages: [{ role: 'user', content }] }),
    });

  test.runIf(process.platform === 'linux')('it has not started itself again', () => {
    expect(readFileSync(`/proc/${server.pid}/environ`, 'utf8')).not.toContain('MALLOC_');
  });

  test('whole and streamed calls are answered, also long ones, many at once', async () => {
    const asked = ['hello', LONG].flatMap((content) =>
      [false, true].flatMap((stream) => Array.from({ length: 4 }, () => ({ content, stream }))),
    );
    const answers = await Promise.all(
      asked.map(async ({ content, stream }) => {
        const reply = await chat(content, stream);
        return { status: reply.status, text: await reply.text(), stream };
      }),
    );
    for (const { status, text, stream } of answers) {
      expect(status, text).toBe(200);
      if (stream) expect(text).toMatch(/data: \[DONE\]\n\n$/);
    }
    const prompts = simulator.calls.map(({ body }) => JSON.stringify(body));
    expect(prompts.filter((prompt) => prompt.includes(JSON.stringify(LONG)))).toHaveLength(8);
  });

  test('a malformed body is rejected, and the connection goes on', async () => {
    const reply = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: `{"model":"sim-chat","messages":[{"role":"user","content":"${'x'.repeat(100_000)}\\x"}]}`,
    });
    expect(reply.status).toBe(400);
    expect((await chat('hello', false)).status).toBe(200);
  });

  test('a batch is run and settled, and the books agree', async () => {
    const batches = new BatchStage({ url: server.url, key });
    const made = await batches.submitted([chatLine('a', 'one'), chatLine('b', LONG)]);
    const settled = await batches.settled(made.id);
    expect(settled).toMatchObject({ status: 'completed', request_counts: { completed: 2, failed: 0 } });
    expect((await batches.lines(settled.output_file_id)).size).toBe(2);
    expect(await admin('ledger.verify')).toMatchObject({ disagreements: [] });
  });
});
