/** Several processes on one port, and processes that do only a part: real processes on PostgreSQL. */
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { askServer } from '../../src/app/ask-server.ts';
import { BatchStage, chatLine } from '../support/batches-stage.ts';
import { pointAt, testConfig, withBatches } from '../support/config.ts';
import { makePlace, type TestPlace } from '../support/engines.ts';
import type { TestGateway } from '../support/gateway.ts';
import type { GatewayPlace } from '../support/gateway-process.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { runCli } from '../support/run-cli.ts';
import { isAlive, processesAt, ServeProcess } from '../support/supervisor-process.ts';

const SEVERAL = 'tollgate runs several processes';
const RESTARTED = 'all processes were restarted';
const LIMITS = 'limits: { shutdown_wait_ms: 200, shutdown_idle_ms: 200 }';
const EVENTUALLY = { timeout: PATIENCE_MS, interval: 50 };

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

describe.skipIf(inject('postgresUrl') === null)('several processes', () => {
  let database: TestPlace;
  let simulator: Simulator;
  let place: GatewayPlace;
  let config: string;
  let key: string;
  let server: ServeProcess;
  let url: string;
  let opsUrl: string;
  const started: ServeProcess[] = [];

  const serve = (...flags: string[]): ServeProcess => {
    const one = new ServeProcess(place, flags);
    started.push(one);
    return one;
  };
  const several = async (...flags: string[]): Promise<[ServeProcess, string, string]> => {
    const one = serve('--processes', '2', ...flags);
    const { port, ops_port } = await one.said(SEVERAL);
    return [one, `http://127.0.0.1:${port}`, `http://127.0.0.1:${ops_port}`];
  };
  const chat = (
    to: string,
    content: string,
    more: { agent?: Agent; stream?: boolean; key?: string } = {},
  ) => {
    const messages = [{ role: 'user', content }];
    const body = JSON.stringify({ model: 'sim-chat', messages, stream: more.stream ?? false });
    const headers = {
      authorization: `Bearer ${more.key ?? key}`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const begun = Promise.withResolvers<void>();
    const answer = new Promise<Answer>((resolve, reject) => {
      const options = { method: 'POST', headers, agent: more.agent ?? false };
      const asked = request(`${to}/v1/chat/completions`, options, (reply) => {
        let text = '';
        reply.on('data', (piece) => {
          text += piece;
          begun.resolve();
        });
        reply.on('error', reject);
        reply.on('end', () => resolve({ status: reply.statusCode, text }));
      });
      asked.on('error', reject);
      asked.end(body);
    });
    return { answer, begun: begun.promise };
  };
  const counted = async (): Promise<number> => {
    const page = await (await fetch(`${opsUrl}/metrics`)).text();
    const line = /tollgate_requests_total\{endpoint="createChatCompletion",status="200"\} (\d+)/.exec(page);
    return Number(line?.[1] ?? 0);
  };
  const pids = async (): Promise<number[]> =>
    (await processesAt(opsUrl)).filter(({ state }) => state === 'ready').map(({ pid }) => pid);

  beforeAll(async () => {
    database = await makePlace('postgres');
    simulator = await startSimulator({ apiKey: 'simulator-key' });
    const configFile = join(database.folder, 'tollgate.yaml');
    config = pointAt(withBatches(testConfig({ limits: LIMITS })), { simulator });
    writeFileSync(configFile, config);
    place = { folder: database.folder, configFile, databaseUrl: database.databaseUrl };
    [server, url, opsUrl] = await several();
    await askServer(place.folder, 'spaces.create', { name: 'acme', overage: true });
    const made = await askServer(place.folder, 'keys.create', { space: 'acme', name: 'k', kind: 'shared' });
    key = made?.result.key ?? '';
  });
  afterAll(async () => {
    for (const one of started) one.signal('SIGKILL');
    await simulator?.stop();
    await database?.remove();
  });

  test('one port answers from every process, and the operations port says which there are', async () => {
    const from = server.lines.length;
    const asked = Array.from({ length: 8 }, () => chat(url, 'x', { key: 'sk_wrong' }).answer);
    for (const { status } of await Promise.all(asked)) expect(status).toBe(401);
    const answeredBy = (): Set<unknown> =>
      new Set(server.lines.slice(from).flatMap(({ msg, pid }) => (msg.includes('refused') ? [pid] : [])));
    await vi.waitFor(async () => expect([...answeredBy()].sort()).toEqual((await pids()).sort()), EVENTUALLY);
    expect(await pids()).toHaveLength(2);
    expect(await (await fetch(`${opsUrl}/ready`)).json()).toEqual({ status: 'ready' });
    expect((await askServer(place.folder, 'status', {}))?.result.pid).toBe(server.pid);
  });

  test('metrics of all processes are on one page: counters are sums, gauges have a process', async () => {
    const before = await counted();
    for (const { status } of await Promise.all(Array.from({ length: 6 }, () => chat(url, 'x').answer)))
      expect(status).toBe(200);
    await vi.waitFor(async () => expect(await counted()).toBe(before + 6), EVENTUALLY);
    const page = await (await fetch(`${opsUrl}/metrics`)).text();
    expect(page).toMatch(/tollgate_requests_in_flight\{process="1"\} 0\n/);
    expect(page).toMatch(/tollgate_requests_in_flight\{process="2"\} 0\n/);
    expect(page).toContain('tollgate_processes_ready 2\n');
    expect(page).toMatch(
      /tollgate_calls_total\{model="sim-chat",.*,outcome="completed",status="200"\} \d+\n/,
    );
    // All processes read the same number, so it is there once.
    expect(page.match(/^tollgate_backlog_jobs\{kind="batch"\} 0$/gm)).toHaveLength(1);
  });

  test('a process that is killed is replaced, the other answers meanwhile, and no counter falls', async () => {
    const before = await counted();
    const [victim, other] = (await pids()) as [number, number];
    process.kill(victim, 'SIGKILL');
    await server.said('a process ended unexpectedly');
    expect((await chat(url, 'x').answer).status).toBe(200);
    await vi.waitFor(async () => expect(await pids()).toHaveLength(2), EVENTUALLY);
    expect(await pids()).toContain(other);
    expect(await pids()).not.toContain(victim);
    await vi.waitFor(async () => expect(await counted()).toBe(before + 1), EVENTUALLY);
  });

  test('SIGHUP replaces every process under load, and loses no call', async () => {
    const before = { pids: await pids(), counted: await counted() };
    const agent = new Agent({ keepAlive: true });
    const bad: string[] = [];
    let good = 0;
    let stopping = false;
    const call = async (): Promise<void> => {
      while (!stopping) {
        const stream = good % 3 === 0;
        const { status, text } = await chat(url, 'x', { agent, stream }).answer.catch((error: Error) => ({
          status: 0,
          text: error.message,
        }));
        if (status === 200 && (!stream || text.includes('[DONE]'))) good++;
        else bad.push(`${status} ${text}`);
      }
    };
    const callers = Array.from({ length: 6 }, call);
    server.signal('SIGHUP');
    await server.said(RESTARTED);
    stopping = true;
    await Promise.all(callers);
    agent.destroy();
    expect(bad).toEqual([]);
    expect(good).toBeGreaterThan(10);
    const after = await pids();
    expect(after).toHaveLength(2);
    expect(after.filter((pid) => before.pids.includes(pid))).toEqual([]);
    await vi.waitFor(async () => expect(await counted()).toBe(before.counted + good), EVENTUALLY);
  });

  test('if a new process cannot start, the old ones stay', async () => {
    const before = await pids();
    const from = server.lines.length;
    writeFileSync(place.configFile, 'modles: {}');
    server.signal('SIGHUP');
    expect((await server.said('a new process could not start', from)).reason).toMatch(/did you mean models/);
    expect(await pids()).toEqual(before);
    expect((await chat(url, 'x').answer).status).toBe(200);
  });

  test('when the supervisor is killed, its processes finish their calls and end', async () => {
    const children = await pids();
    const { answer, begun } = chat(url, '[[pace 30]] one two three four five six', { stream: true });
    await begun;
    server.signal('SIGKILL');
    expect((await answer).text).toContain('[DONE]');
    await vi.waitFor(() => expect(children.filter(isAlive)).toEqual([]), EVENTUALLY);
  });

  test('processes with the role http serve no logs and leave batches to a worker, which has no listener', async () => {
    writeFileSync(place.configFile, config);
    const worker = serve('--role', 'worker');
    expect(await worker.said('without a listener')).toMatchObject({ port: null, roles: ['worker'] });
    [server, url, opsUrl] = await several('--role', 'http');
    expect(await (await fetch(`${opsUrl}/health`)).json()).toMatchObject({ roles: ['http'] });
    const logs = await fetch(`${url}/api/projects/p/logs`);
    expect(logs.status).toBe(503);
    const batches = new BatchStage({ url, key } as TestGateway);
    const { id } = await batches.submitted([chatLine('a', 'x')]);
    await vi.waitFor(async () => expect((await batches.get(id)).status).toBe('completed'), EVENTUALLY);
    const owner = async () => (await askServer(place.folder, 'status', {}))?.result.pid;
    expect(await owner()).toBe(worker.pid);
    worker.signal('SIGTERM');
    expect(await worker.exited).toBe(0);
    await vi.waitFor(
      async () => expect(await owner(), 'another takes the socket').toBe(server.pid),
      EVENTUALLY,
    );
  });

  test('SIGTERM lets calls finish in every process, then ends them and the supervisor with 0', async () => {
    const children = await pids();
    const streams = Array.from({ length: 4 }, () =>
      chat(url, '[[pace 30]] one two three four five six', { stream: true }),
    );
    await Promise.all(streams.map(({ begun }) => begun));
    server.signal('SIGTERM');
    for (const { answer } of streams) expect((await answer).text).toContain('[DONE]');
    expect(await server.exited).toBe(0);
    expect(children.filter(isAlive)).toEqual([]);
  });

  test('if no process can start, the supervisor ends with their error, once', async () => {
    const { port } = new URL(simulator.url);
    const taken = await runCli(
      ['serve', '--processes', '2', '--data', place.folder, '--config', place.configFile, '--port', port],
      { env: { DATABASE_URL: place.databaseUrl ?? '', OPS_PORT: '0', LOG_LEVEL: 'silent' } },
    );
    expect(taken.stderr).toBe(
      `tollgate: Port ${port} on 127.0.0.1 is in use by another program. Choose another with PORT=… or --port.\n`,
    );
    expect(taken.code).toBe(1);
  });
});

test('several processes on the embedded database are rejected with the reason', async () => {
  const { folder, remove } = await makePlace('embedded', { empty: true });
  const configFile = join(folder, 'tollgate.yaml');
  writeFileSync(configFile, pointAt(testConfig(), { simulator: { url: 'http://127.0.0.1:1' } }));
  const ran = await runCli(['serve', '--data', folder, '--config', configFile, '--processes', '2']);
  expect(ran.stderr).toContain(
    '2 processes need PostgreSQL: the embedded database belongs to one process. Set DATABASE_URL',
  );
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  await remove();
});
