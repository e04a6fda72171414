/** Processes with a journal whose disk is full, or that are killed and started again, while PostgreSQL does not answer. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { parseUnits, sumUnits } from '../../src/kernel/units.ts';
import { WRITE_AHEAD_FOLDER } from '../../src/metering/recover-calls.ts';
import { changeConfig, pointAt, testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { PATIENCE } from '../support/patience.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const disk = mountSmallDisk(4);
const OUTAGE_CALLS = 5;

interface Answer {
  readonly id: string;
  readonly status: number;
  readonly cost: string | null;
}

describe.runIf(engines.includes('postgres'))('while PostgreSQL does not answer', () => {
  /** Has the database, the key and the provider; calls go to the processes. */
  let gateway: TestGateway;
  let proxy: TcpProxy;
  let folder: string;
  let answers: Answer[] = [];
  const processes: GatewayProcess[] = [];

  beforeAll(async () => {
    gateway = await startGateway({ engine: 'postgres' });
    const { hostname, port } = new URL(gateway.databaseUrl as string);
    proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-test-attack-'));
    answers = [];
  });
  afterEach(async () => {
    proxy.startServer();
    await Promise.all(processes.splice(0).map((one) => one.kill()));
    rmSync(folder, { recursive: true, force: true });
  });
  afterAll(async () => {
    await proxy?.stop();
    await gateway?.stop();
    disk?.remove();
  });

  async function start(data = folder): Promise<GatewayProcess> {
    mkdirSync(data, { recursive: true });
    const configFile = join(data, 'tollgate.yaml');
    writeFileSync(
      configFile,
      changeConfig(pointAt(testConfig(), gateway), { metering: { journal: 'local' } }),
    );
    const databaseUrl = Object.assign(new URL(gateway.databaseUrl as string), { port: String(proxy.port) });
    const started = await startGatewayProcess({ folder: data, configFile, databaseUrl: databaseUrl.href });
    processes.push(started);
    return started;
  }

  async function call({ url }: GatewayProcess): Promise<Answer> {
    const reply = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim-chat', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    const { estimated_cost: cost } = (await reply.json()) as { estimated_cost?: { amount: string } };
    const id = reply.headers.get('x-request-id') as string;
    const answer = { id, status: reply.status, cost: cost?.amount ?? null };
    answers.push(answer);
    return answer;
  }

  async function callAll(...targets: GatewayProcess[]): Promise<void> {
    for (let i = 0; i < OUTAGE_CALLS; i++) for (const target of targets) await call(target);
  }

  const segments = (data = folder): string[] =>
    readdirSync(join(data, WRITE_AHEAD_FOLDER), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.wal'),
    );

  /** Rows of calls that were answered, and of no others. */
  async function expectChargedOnce(): Promise<void> {
    const full = answers.filter(({ status }) => status === 200);
    const ids = answers.map(({ id }) => id);
    const rows = await gateway.query<{ id: string; cost: string }>(
      sql`select id, cost from calls where id = any(${ids})`,
    );
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(full.map(({ id }) => id)));
    const costOf = new Map(rows.map(({ id, cost }) => [id, parseUnits(cost)]));
    for (const { id, cost } of full) expect(costOf.get(id)).toBe(parseUnits(cost as string));
    const [all] = await gateway.query<{ spent: string; counted: string }>(sql`
      select (select sum(cost) from calls) as spent, (select sum(cost) from month_totals) as counted`);
    expect(parseUnits(all?.spent as string)).toBe(parseUnits(all?.counted as string));
    expect(sumUnits([...costOf.values()])).toBeGreaterThan(0n);
    expect((await gateway.admin('ledger.verify')).disagreements).toEqual([]);
  }

  test('two processes on one folder, both killed: a start without the database loses no call, and the next one charges each once', async () => {
    const [first, second] = [await start(), await start()];
    await callAll(first, second);
    proxy.stopServer();
    await callAll(first, second);
    await first.kill();
    await callAll(second);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const left = segments();
    expect(left.length).toBe(2);
    await second.kill();
    await expect(start()).rejects.toThrow(/ended with 1/);
    expect(segments()).toEqual(left);
    proxy.startServer();
    const third = await start();
    await call(third);
    await expect.poll(() => segments(), PATIENCE).toEqual([]);
    expect(await third.stop()).toBe(0);
    await expectChargedOnce();
    expect(segments()).toEqual([]);
  });

  test.skipIf(disk === null)(
    'and the disk is full (needs mount), calls wait and are rejected; with space or the database they go on, and each is charged once',
    async () => {
      const small = disk as NonNullable<typeof disk>;
      const data = join(small.folder, 'data');
      const asked = gateway.simulator.calls.length;
      const process = await start(data);
      await call(process);
      small.fill();
      proxy.stopServer();
      // Those that were let in wait for the disk; from some moment on nobody is let in.
      const waiting: Array<Promise<Answer>> = [];
      const rejected = Promise.withResolvers<void>();
      const stop = systemClock.every(50, () => {
        const asking = call(process);
        waiting.push(asking);
        asking.then(({ status }) => status === 503 && rejected.resolve(), rejected.reject);
      });
      await rejected.promise;
      stop();
      small.free();
      for (const { status } of await Promise.all(waiting)) expect([200, 503]).toContain(status);
      await expect.poll(async () => (await call(process)).status, PATIENCE).toBe(200);
      await callAll(process);
      small.fill();
      proxy.startServer();
      await expect.poll(async () => (await call(process)).status, PATIENCE).toBe(200);
      await expect.poll(() => segments(data), PATIENCE).toEqual([]);
      expect(await process.stop()).toBe(0);
      await expectChargedOnce();
      const finished = gateway.simulator.calls.slice(asked).filter((one) => one.finished).length;
      const [row] = await gateway.query<{ calls: number }>(
        sql`select count(*)::int as calls from calls where id = any(${answers.map(({ id }) => id)})`,
      );
      expect(row?.calls).toBe(finished);
    },
  );
});
