/**
 * `kill -9` while calls wait to be counted whose callers have left: each is charged once, by the next start or by another
 * process. One kill; `npm run test:chaos` makes more (TOLLGATE_LEFT_KILLS).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { pointAt, testConfig } from '../support/config.ts';
import { engines, makePlace, type TestPlace } from '../support/engines.ts';
import { administerAt } from '../support/gateway.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { BACKGROUND_PATIENCE, PATIENCE } from '../support/patience.ts';
import { letters } from '../support/random-letters.ts';
import { parseMetrics, sumOf } from '../support/read-metrics.ts';

const KILLS = Number(process.env.TOLLGATE_LEFT_KILLS ?? 1);
const CALLS = 30;
const content = `${letters(300_000)} [[chunks 50]] [[pace 20]] Reply with exactly: ${'answer '.repeat(50)}`;

describe.each(engines)('left calls and kill -9 on %s', (engine) => {
  let place: TestPlace;
  let simulator: Simulator;
  const running: GatewayProcess[] = [];
  let round = 0;
  beforeAll(async () => {
    place = await makePlace(engine);
    simulator = await startSimulator({ apiKey: 'simulator-key' });
  });
  afterEach(async () => {
    for (const gateway of running.splice(0)) await gateway.kill();
  });
  afterAll(async () => {
    await simulator.stop();
    await place.remove();
  });

  async function start(folder: string): Promise<GatewayProcess> {
    const configFile = join(folder, 'tollgate.yaml');
    writeFileSync(configFile, pointAt(testConfig(), { simulator }));
    const gateway = await startGatewayProcess({ folder, configFile, databaseUrl: place.databaseUrl });
    running.push(gateway);
    return gateway;
  }

  async function leave(gateway: GatewayProcess, key: string, team: string): Promise<void> {
    const leaving = new AbortController();
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-tollgate-tags': `team=${team}`,
      },
      body: JSON.stringify({ model: 'sim-chat', stream: true, messages: [{ role: 'user', content }] }),
      signal: leaving.signal,
    });
    expect(reply.status).toBe(200);
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    let said = '';
    while (!said.includes('answer')) said += Buffer.from((await reader.read()).value ?? []).toString();
    leaving.abort();
  }

  test('every one of 30 calls is charged exactly once, to its team', { repeats: KILLS - 1 }, async () => {
    const space = `acme-${round++}`;
    const first = await start(place.folder);
    const admin = administerAt(place.folder);
    await admin('spaces.create', { name: space, overage: true });
    const { key } = await admin('keys.create', { name: 'test', space, kind: 'shared' });
    await Promise.all(Array.from({ length: CALLS }, (_, i) => leave(first, key, `team-${i % 2}`)));
    const { metricsUrl } = await admin('status');
    // All are noticed, and those that are not counted yet are durable.
    const waiting = await vi.waitFor(async () => {
      const series = parseMetrics(await (await fetch(metricsUrl as string)).text());
      const [open, durable] = ['tollgate_left_calls', 'tollgate_left_calls_durable'].map((name) =>
        sumOf(series, name),
      );
      const counted = sumOf(series, 'tollgate_calls_total') ?? 0;
      expect([(open ?? 0) + counted, durable]).toEqual([CALLS, open]);
      return open ?? 0;
    }, PATIENCE);
    expect(waiting).toBeGreaterThan(5);
    const other = place.databaseUrl === null ? null : await makePlace('embedded', { empty: true });
    if (other !== null) await start(other.folder);
    await first.kill();
    if (other === null) await start(place.folder);
    const later = administerAt(other?.folder ?? place.folder);
    const list = () => later('requests.list', { space, limit: 100 });
    const rows = await vi.waitFor(async () => {
      const { data } = await list();
      expect(data).toHaveLength(CALLS);
      return data;
    }, BACKGROUND_PATIENCE);
    // 300,000 letters are at least 75,000 tokens.
    for (const { cost } of rows) expect(Number(cost)).toBeGreaterThan(0.18);
    const { rows: teams } = await later('reports.usage', { space, by: 'tag:team' });
    const half = CALLS / 2;
    expect(teams.map(({ name, requests }) => [name, requests]).toSorted()).toEqual([
      ['team-0', half],
      ['team-1', half],
    ]);
    expect((await later('ledger.verify')).disagreements).toEqual([]);
    const reserved = await later('spaces.get', { space });
    expect(reserved.blocked).toBe(false);
    await other?.remove();
  });
});
