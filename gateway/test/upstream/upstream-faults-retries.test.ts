/** When a route is tried again, when another one is taken, and when a route is left alone. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { type ConfigChanges, faultModels, testConfig } from '../support/config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';

interface CallRow {
  readonly outcome: string;
  readonly problem: string | null;
  readonly attempts: number;
  readonly provider: string | null;
  readonly cost: string | null;
}

let gateway: TestGateway;

beforeAll(async () => {
  const dead = `http://127.0.0.1:${await closedPort()}/v1`;
  /** Routes by their priority. */
  const model = (...routes: Array<[provider: string, model: string]>): ConfigChanges => ({
    capabilities: ['streaming'],
    routes: routes.map(([provider, model], index) => ({ provider, model, priority: index + 1 })),
  });
  gateway = await startGateway({
    config: testConfig({
      providers: { dead: { dialect: 'openai', base_url: dead, api_key: 'k' } },
      models: {
        ...faultModels(['error-400', 'error-401', 'error-429', 'error-500', 'error-once', 'hang']),
        'second-road': model(['dead', 'sim-chat'], ['simulator', 'sim-chat']),
        'second-road-bad': model(['simulator', 'sim-fault-error-503'], ['simulator', 'sim-chat']),
        'wrong-request': model(['simulator', 'sim-fault-error-422'], ['simulator', 'sim-chat']),
        'no-road': model(['dead', 'sim-chat']),
        breaks: model(['simulator', 'sim-fault-error-500']),
        'locked-out': model(['simulator', 'sim-fault-error-401']),
      },
    }),
  });
});
afterAll(() => gateway.stop());

describe('a call is tried again', () => {
  test('until it succeeds: a provider that fails once costs two attempts and one charge', async () => {
    const response = await ask('sim-fault-error-once');
    expect(response.status).toBe(200);
    expect(await rowOf(response)).toMatchObject({ outcome: 'completed', attempts: 2, problem: null });
  });

  test.each([
    ['sim-fault-error-429', 429, 3],
    ['sim-fault-error-500', 502, 3],
    ['sim-fault-error-400', 400, 1],
    ['sim-fault-error-401', 502, 1],
  ])('%s answers %i after %i attempts', async (model, status, attempts) => {
    const before = seen(model);
    const response = await ask(model);
    expect(response.status).toBe(status);
    expect(seen(model) - before).toBe(attempts);
    expect(await rowOf(response)).toMatchObject({ outcome: 'failed', attempts, cost: null });
  });
});

describe('a second route', () => {
  test('takes over from one that refuses connections, and the row names it', async () => {
    const response = await ask('second-road');
    expect(response.status).toBe(200);
    expect(await rowOf(response)).toMatchObject({ provider: 'simulator', attempts: 2 });
  });

  test('takes over in a stream too, before its first byte', async () => {
    const response = await ask('second-road-bad', true);
    expect(await response.text()).toMatch(/data: \[DONE\]\n\n$/);
    expect(await rowOf(response)).toMatchObject({ outcome: 'completed', attempts: 2 });
  });

  test('is not asked when the request itself is refused', async () => {
    const response = await ask('wrong-request');
    expect(response.status).toBe(400);
    expect(await rowOf(response)).toMatchObject({ attempts: 1, problem: 'invalid_parameter' });
  });

  test('is taken at once after five failures of the first', async () => {
    // Each of these calls tries the dead route first; one did so above.
    for (let failures = 1; failures < 5; failures++) await ask('second-road');
    expect(await rowOf(await ask('second-road'))).toMatchObject({ provider: 'simulator', attempts: 1 });
  });
});

describe('a route that fails five times in a row', () => {
  test('is left alone: 503 upstream_unavailable without a touch of the provider', async () => {
    expect(await rowOf(await ask('breaks'))).toMatchObject({ attempts: 3 });
    expect(await rowOf(await ask('breaks'))).toMatchObject({ attempts: 2, problem: 'upstream_error' });
    const before = gateway.simulator.calls.length;
    const response = await ask('breaks');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ type: 'upstream_unavailable' });
    expect(response.headers.get('x-should-retry')).toBe('true');
    expect(Number(response.headers.get('retry-after-ms'))).toBeGreaterThan(0);
    expect(gateway.simulator.calls.length).toBe(before);
    const row = await rowOf(response);
    expect(row).toMatchObject({ outcome: 'failed', attempts: 0, provider: null, cost: null });
  });

  test('is left alone when it is our own key that is refused', async () => {
    for (let failures = 0; failures < 5; failures++) expect((await ask('locked-out')).status).toBe(502);
    expect((await ask('locked-out')).status).toBe(503);
  });

  test('a provider that cannot be reached at all is upstream_unavailable from the start', async () => {
    const response = await ask('no-road');
    expect(response.status).toBe(503);
    expect(await rowOf(response)).toMatchObject({ attempts: 3, problem: 'upstream_unavailable' });
  });
});

function ask(model: string, stream = false): Promise<Response> {
  return gateway.chat({
    model,
    messages: [{ role: 'user', content: 'Reply with exactly: fine' }],
    ...(stream && { stream }),
  });
}

function seen(model: string): number {
  return gateway.simulator.calls.filter((call) => call.model === model).length;
}

/** A failed call is recorded beside its answer, so its row may come a moment later. */
async function rowOf(response: Response): Promise<CallRow> {
  const id = response.headers.get('x-request-id') as string;
  return await vi.waitFor(async () => {
    const rows = await gateway.query<CallRow>(sql`select * from calls where id = ${id}`);
    expect(rows).toHaveLength(1);
    return rows[0] as CallRow;
  }, PATIENCE);
}

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((resolve) => void probe.close(() => resolve()));
  return port;
}
