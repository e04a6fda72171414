/** Gateways restarted one after another behind the proxies of deploy/, under load: no caller notices. */

import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { pause, systemClock } from '../../src/kernel/time.ts';
import { pointAt, testConfig } from '../support/config.ts';
import { makePlace, type TestPlace } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';
import { type GatewayPlace, type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { findProxy, proxyNames, startProxy, type TestProxy } from '../support/proxies.ts';
import { runCli } from '../support/run-cli.ts';

/** Of each of two gateways in turn; TOLLGATE_RESTARTS in the long form. */
const RESTARTS = Number(process.env.TOLLGATE_RESTARTS ?? 2);
const CALLERS_OF_A_PROXY = 4;
const EXIT_MS_MAX = 35_000;
const programs = proxyNames.map((name) => ({ name, program: findProxy(name) }));
const missing = programs.filter(({ program }) => program === null).map(({ name }) => name);
const why =
  inject('postgresUrl') === null
    ? 'there is no PostgreSQL'
    : missing.length === programs.length
      ? 'no proxy is installed'
      : null;
if (why !== null) process.stderr.write(`Rolling restarts are not tested: ${why}.\n`);
else if (missing.length > 0) process.stderr.write(`Rolling restarts are not tested behind ${missing}.\n`);

describe.skipIf(why !== null)('rolling restarts', () => {
  let place: TestPlace;
  let provider: Server;
  let answered = 0;
  const gateways: GatewayProcess[] = [];
  const places: GatewayPlace[] = [];
  const proxies: TestProxy[] = [];
  let key: string;

  beforeAll(async () => {
    place = await makePlace('postgres');
    provider = await startProvider(() => answered++);
    const { port } = provider.address() as AddressInfo;
    const configFile = join(place.folder, 'tollgate.yaml');
    const limits = 'limits: { shutdown_wait_ms: 2500, shutdown_idle_ms: 5000 }';
    writeFileSync(
      configFile,
      pointAt(testConfig({ limits }), { simulator: { url: `http://127.0.0.1:${port}/v1` } }),
    );
    const ports = [await freePort(), await freePort()] as const;
    for (const port of ports) {
      // A folder of its own, because each has its socket there.
      const folder = (await makePlace('embedded', { empty: true })).folder;
      places.push({ folder, configFile, databaseUrl: place.databaseUrl, port });
    }
    gateways.push(...(await Promise.all(places.map(startGatewayProcess))));
    const flags = ['--json', '--data', places[0]?.folder ?? '', '--config', configFile];
    const env = { DATABASE_URL: place.databaseUrl ?? '' };
    await runCli(['spaces', 'create', 'acme', '--overage', ...flags], { env });
    const made = await runCli(['keys', 'create', 'k', ...flags], { env });
    key = (JSON.parse(made.stdout) as { key: string }).key;
    for (const { name, program } of programs)
      if (program !== null) proxies.push(await startProxy(name, program, ports));
    for (const proxy of proxies) await proxy.ready();
  });
  afterAll(async () => {
    for (const proxy of proxies) await proxy.stop();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    provider?.close();
    provider?.closeAllConnections();
    await place?.remove();
  });

  test(
    `${RESTARTS} restarts under load lose no call behind any of them, and each is charged once`,
    async () => {
      const load = new Load(proxies, key);
      load.start();
      for (let restart = 0; restart < RESTARTS; restart++) {
        const at = restart % 2;
        const startedMs = systemClock.elapsedMs();
        expect(await gateways[at]?.terminate()).toBe(0);
        expect(systemClock.elapsedMs() - startedMs).toBeLessThan(EXIT_MS_MAX);
        gateways[at] = await startGatewayProcess(places[at] as GatewayPlace);
        for (const proxy of proxies) await proxy.ready();
        await load.more();
      }
      await load.stop();
      if (RESTARTS > 2)
        process.stderr.write(`${RESTARTS} restarts: ${JSON.stringify([...load.good])} calls\n`);
      expect(load.bad).toEqual([]);
      const good = [...load.good.values()].reduce((sum, count) => sum + count, 0);
      expect(good).toBeGreaterThan(RESTARTS * CALLERS_OF_A_PROXY);
      const db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
      const rows = await db.query<{ outcome: string; count: number; requests: number; missing: number }>(sql`
      select outcome, count(*)::int as count, (select sum(requests)::int from month_totals) as requests,
        count(*) filter (where cost is null)::int as missing
      from calls group by 1`);
      await db.close();
      expect(rows).toEqual([{ outcome: 'completed', count: good, requests: good, missing: 0 }]);
      expect(answered).toBe(good);
      const flags = ['--json', '--data', places[0]?.folder ?? '', '--config', places[0]?.configFile ?? ''];
      const env = { DATABASE_URL: place.databaseUrl ?? '' };
      expect(await runCli(['ledger', 'verify', ...flags], { env })).toMatchObject({ code: 0 });
    },
    60_000 + RESTARTS * 60_000,
  );
});

/** Callers that go on calling, over connections that they keep. */
class Load {
  readonly good = new Map<string, number>();
  readonly bad: string[] = [];
  readonly #proxies: readonly TestProxy[];
  readonly #key: string;
  #running: Promise<void>[] = [];
  #stopping = false;

  constructor(proxies: readonly TestProxy[], key: string) {
    this.#proxies = proxies;
    this.#key = key;
  }

  start(): void {
    this.#running = this.#proxies.flatMap((proxy) =>
      Array.from({ length: CALLERS_OF_A_PROXY }, (_, caller) => this.#run(proxy, caller)),
    );
  }

  /** Resolves when each proxy has carried some more. */
  async more(): Promise<void> {
    const before = new Map(this.good);
    const few = ({ name }: TestProxy): boolean =>
      (this.good.get(name) ?? 0) < (before.get(name) ?? 0) + 5 * CALLERS_OF_A_PROXY;
    while (this.#proxies.some(few) && this.bad.length === 0) await pause(systemClock, 20);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  async #run(proxy: TestProxy, caller: number): Promise<void> {
    const { name } = proxy;
    for (let i = 0; !this.#stopping; i++) {
      const stream = (i + caller) % 3 === 0;
      const wrong = await this.#call(proxy, stream).catch((error: Error) => error.message);
      if (wrong === null) this.good.set(name, (this.good.get(name) ?? 0) + 1);
      else {
        this.bad.push(`${name}: ${wrong}`);
        await pause(systemClock, 500);
      }
    }
  }

  /** Null when it was answered in full. */
  #call({ url, agent }: TestProxy, stream: boolean): Promise<string | null> {
    const body = JSON.stringify({ model: 'sim-chat', stream, messages: [{ role: 'user', content: 'x' }] });
    const headers = { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const asked = request(
        `${url}/v1/chat/completions`,
        { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } },
        (reply) => {
          let text = '';
          reply.on('data', (piece) => {
            text += piece;
          });
          reply.on('error', reject);
          reply.on('end', () => {
            const whole = stream ? text.endsWith('data: [DONE]\n\n') : text.includes('"choices"');
            resolve(reply.statusCode === 200 && whole ? null : `${reply.statusCode} ${text.slice(0, 300)}`);
          });
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });
  }
}

const USAGE = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
const HEAD = { id: 'c', object: 'chat.completion', created: 1, model: 'sim-chat' };

/** Answers after a moment, and counts. */
async function startProvider(onAnswered: () => void): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 300_000 }, (asked, reply) => {
    let body = '';
    asked.on('data', (piece) => {
      body += piece;
    });
    const answer = async (): Promise<void> => {
      await pause(systemClock, 15);
      if (body.includes('"stream":true')) {
        reply.writeHead(200, { 'content-type': 'text/event-stream' });
        const chunk = (more: object): string =>
          `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices: [], ...more })}\n\n`;
        reply.write(chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'a' } }] }));
        await pause(systemClock, 100);
        reply.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
        reply.end(`${chunk({ usage: USAGE })}data: [DONE]\n\n`);
      } else {
        const message = { role: 'assistant', content: 'a b' };
        const choices = [{ index: 0, message, finish_reason: 'stop' }];
        reply.writeHead(200, { 'content-type': 'application/json' });
        reply.end(JSON.stringify({ ...HEAD, choices, usage: USAGE }));
      }
      onAnswered();
    };
    asked.on('end', () => void answer());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
