/**
 * One caller of responses beside a database that stops, again and again, and a space that keeps large responses
 * beside another: nothing crashes, nobody else fails, the books are equal. In the long form
 * TOLLGATE_STOPS stops of TOLLGATE_STOP_MS, and large responses of TOLLGATE_LARGE_BYTES.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { pause, systemClock } from '../../src/kernel/time.ts';
import { verifyBooks } from '../../src/reports/verify-books.store.ts';
import { pointAt, testConfig } from '../support/config.ts';
import { type Engine, engines, makePlace, type TestPlace } from '../support/engines.ts';
import { administerAt } from '../support/gateway.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const STOPS = Number(process.env.TOLLGATE_STOPS ?? 1);
const STOP_MS = Number(process.env.TOLLGATE_STOP_MS ?? 1_000);
const LARGE_BYTES = Number(process.env.TOLLGATE_LARGE_BYTES ?? 100_000);
const LARGE_CALLS = 24;

interface Stage {
  readonly gateway: GatewayProcess;
  readonly simulator: Simulator;
  keyOf(space: string): Promise<string>;
  respond(key: string, body: object): Promise<{ status: number; id: string; store: boolean; tookMs: number }>;
  /** Ends the process in order, and compares what the provider did with what is recorded. */
  proveBooks(): Promise<{ calls: number; provider: number }>;
  end(): Promise<void>;
}

async function startStage(
  engine: Engine,
  throughOf?: (url: URL) => Promise<TcpProxy>,
): Promise<Stage & { proxy: TcpProxy | null }> {
  const place: TestPlace = await makePlace(engine);
  const simulator = await startSimulator({ apiKey: 'simulator-key' });
  mkdirSync(place.folder, { recursive: true });
  const configFile = join(place.folder, 'tollgate.yaml');
  writeFileSync(configFile, pointAt(testConfig(), { simulator }));
  let databaseUrl = place.databaseUrl;
  let proxy: TcpProxy | null = null;
  if (throughOf !== undefined && databaseUrl !== null) {
    const url = new URL(databaseUrl);
    proxy = await throughOf(url);
    url.port = String(proxy.port);
    databaseUrl = url.href;
  }
  const gateway = await startGatewayProcess({ folder: place.folder, configFile, databaseUrl });
  const admin = administerAt(place.folder);
  return {
    gateway,
    simulator,
    proxy,
    async keyOf(space) {
      await admin('spaces.create', { name: space, overage: true });
      return (await admin('keys.create', { space, name: 'k', kind: 'shared' })).key;
    },
    async respond(key, body) {
      const startedMs = systemClock.elapsedMs();
      const reply = await fetch(`${gateway.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'sim-chat', ...body }),
      });
      const answer = (await reply.json()) as { id: string; store: boolean };
      return {
        status: reply.status,
        id: answer.id,
        store: answer.store,
        tookMs: systemClock.elapsedMs() - startedMs,
      };
    },
    async proveBooks() {
      expect(await gateway.stop()).toBe(0);
      const db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
      const [row] = await db.query<{ calls: number }>(
        sql`select count(*) as calls from calls where cost is not null`,
      );
      expect((await verifyBooks(db)).disagreements).toEqual([]);
      await db.close();
      return { calls: row?.calls ?? 0, provider: simulator.calls.filter(({ finished }) => finished).length };
    },
    async end() {
      await gateway.kill();
      await simulator.stop();
      await proxy?.stop();
      await place.remove();
    },
  };
}

describe.skipIf(!engines.includes('postgres'))('a database that stops while responses are kept', () => {
  test(`the process lives through ${STOPS} stops of ${STOP_MS} ms, every answer is charged once, conversations go on`, {
    timeout: 300_000,
  }, async () => {
    const stage = await startStage('postgres', (url) =>
      startTcpProxy({ host: url.hostname, port: Number(url.port) }),
    );
    try {
      const key = await stage.keyOf('acme');
      const statuses = new Map<number, number>();
      let previous: string | null = null;
      let calling = true;
      const caller = (async () => {
        while (calling) {
          const { status, id, store } = await stage.respond(key, {
            input: 'Reply with exactly: on',
            previous_response_id: previous,
          });
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          previous = status === 200 && store ? id : null;
        }
      })();
      for (let i = 0; i < STOPS; i++) {
        await pause(systemClock, 300);
        stage.proxy?.stopServer();
        await pause(systemClock, STOP_MS);
        stage.proxy?.startServer();
        await expect
          .poll(
            async () => (await stage.respond(key, { input: 'Reply with exactly: back' })).status,
            PATIENCE,
          )
          .toBe(200);
        expect(stage.gateway.alive).toBe(true);
      }
      calling = false;
      await caller;
      for (const status of statuses.keys()) expect([200, 503]).toContain(status);
      const { calls, provider } = await stage.proveBooks();
      expect(calls).toBe(provider);
      process.stdout.write(
        `${STOPS} stops of ${STOP_MS} ms: 0 crashes, ${calls} answers, ${calls} charges; ${JSON.stringify([...statuses])}\n`,
      );
    } finally {
      await stage.end();
    }
  });
});

describe.each(engines)('a space with large responses on %s', (engine) => {
  test(`${LARGE_CALLS} of ${LARGE_BYTES} bytes fail no response of another space, and the books are equal`, {
    timeout: 300_000,
  }, async () => {
    const stage = await startStage(engine);
    try {
      const [loud, quiet] = [await stage.keyOf('loud'), await stage.keyOf('quiet')];
      const input = `Reply with exactly: large ${'x'.repeat(LARGE_BYTES)}`;
      let under = true;
      const large = Promise.all(
        Array.from({ length: LARGE_CALLS }, () => stage.respond(loud, { input })),
      ).finally(() => {
        under = false;
      });
      const small: Array<{ status: number; store: boolean; tookMs: number }> = [];
      while (under || small.length < 10)
        small.push(await stage.respond(quiet, { input: 'Reply with exactly: small' }));
      const ends = await large;
      expect(small.filter(({ status, store }) => status !== 200 || !store)).toEqual([]);
      for (const { status } of ends) expect([200, 429, 503]).toContain(status);
      const { calls, provider } = await stage.proveBooks();
      expect(calls).toBe(provider);
      const slowest = Math.max(...small.map(({ tookMs }) => tookMs));
      process.stdout.write(
        `${engine}: ${ends.filter(({ status }) => status === 200).length} of ${LARGE_CALLS} large answered, ${ends.filter(({ store }) => store).length} kept; ` +
          `0 of ${small.length} others failed, the slowest took ${Math.round(slowest)} ms\n`,
      );
    } finally {
      await stage.end();
    }
  });
});
