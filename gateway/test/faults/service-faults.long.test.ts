/**
 * What stands around the gateway breaks under load: the bucket, Redis, the provider, the disk, the clock. The suite breaks
 * for less than a second what no other test breaks; `npm run test:faults` all of it, for 30 s.
 */
import { cpSync, mkdirSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { HOUR_MS } from '../../src/kernel/durations.ts';
import { pause, systemClock } from '../../src/kernel/time.ts';
import { changeConfig } from '../support/config.ts';
import { makePlace, quickEngine } from '../support/engines.ts';
import { chatLine, fileForm, filesConfig } from '../support/files-stage.ts';
import { startGateway } from '../support/gateway.ts';
import { findBinaries } from '../support/postgres.ts';
import { createCluster } from '../support/postgres-cluster.ts';
import { startRedis } from '../support/redis.ts';
import { startS3 } from '../support/s3.ts';
import { shiftedClock } from '../support/shifted-clock.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { type FaultStageOptions, type RunningFaultStage, startFaultStage } from './fault-stage.ts';
import { AWAY, booksAt, FAULT_TEST_MS, isLongForm, OUTAGE_MS, runFault } from './run-fault.ts';

const seconds = OUTAGE_MS / 1_000;
let cleanups: Array<() => Promise<void> | void> = [];

afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
  cleanups = [];
});

async function startStage(options: Partial<FaultStageOptions> = {}): Promise<RunningFaultStage> {
  const place = await makePlace(quickEngine);
  cleanups.push(() => place.remove());
  const stage = await startFaultStage({ ...place, ...options });
  cleanups.push(() => stage.remove());
  return stage;
}

async function proxyTo(port: number): Promise<TcpProxy> {
  const proxy = await startTcpProxy({ host: '127.0.0.1', port });
  cleanups.push(() => proxy.stop());
  return proxy;
}

describe('a bucket', () => {
  const breaks: Record<string, { begin(proxy: TcpProxy): void; end(proxy: TcpProxy): void; long?: true }> = {
    'rejects connections': {
      begin: (proxy) => proxy.stopServer(),
      end: (proxy) => proxy.startServer(),
    },
    'takes 1 s longer for each packet': {
      begin: (proxy) => proxy.delay(1_000),
      end: (proxy) => proxy.delay(0),
    },
    'does not answer': {
      begin: (proxy) => proxy.freezeAll(),
      end: (proxy) => proxy.thaw(),
      long: true,
    },
  };

  test.each(Object.keys(breaks).filter((name) => isLongForm || breaks[name]?.long !== true))(
    'that %s stops no call, and uploads are answered late or with 503',
    async (name) => {
      const s3 = await startS3();
      cleanups.push(() => s3.stop());
      const proxy = await proxyTo(Number(new URL(s3.endpoint).port));
      const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env;
      const endpoint = `http://127.0.0.1:${proxy.port}`;
      const stage = await startStage({
        env: { S3_BUCKET: s3.bucket, S3_ENDPOINT: endpoint, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
      });
      const figures = await runFault(stage, {
        name: `a bucket that ${name} for ${seconds} s`,
        begin: () => breaks[name]?.begin(proxy),
        end: () => breaks[name]?.end(proxy),
        other: () => upload(stage),
      });
      expect(Object.keys(figures.answers)).toEqual(['200']);
      expect(['200', '503 service_unavailable']).toEqual(expect.arrayContaining(Object.keys(figures.others)));
      // Somebody noticed it.
      expect(figures.others['503 service_unavailable'] ?? figures.longestOtherMs / 1_000).toBeGreaterThan(1);
      expect(figures.recorded).toBe(figures.provided);
    },
    FAULT_TEST_MS,
  );
});

let uploads = 0;

/** Other bytes each time, because the same ones would be the same file. */
async function upload({ url, key }: { url: string; key: string }): Promise<string> {
  const reply = await fetch(`${url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: fileForm(chatLine(`upload-${++uploads}`)),
  });
  const { type } = (await reply.json()) as { type?: string };
  return reply.status === 200 ? '200' : `${reply.status} ${type}`;
}

describe('a clock', () => {
  test('that jumps an hour forward and back under load fails no call, and charges each once', async () => {
    const clock = shiftedClock();
    const gateway = await startGateway({ clock, config: filesConfig });
    const agent = new Agent({ keepAlive: true });
    cleanups.push(
      () => gateway.stop(),
      () => agent.destroy(),
    );
    const step = OUTAGE_MS / 3;
    const figures = await runFault(
      {
        ...{ url: gateway.url, key: gateway.key, simulator: gateway.simulator, agent },
        // It stops when the books are read; they are complete when every caller has its answer.
        stopGateway: async () => undefined,
        openBooks: async () =>
          gateway.databaseUrl === null ? expect.fail('needs PostgreSQL') : await booksAt(gateway),
      },
      {
        name: `a clock that jumps by an hour, forward and back, ${seconds} s in all`,
        async begin() {
          for (const jump of [HOUR_MS, -2 * HOUR_MS]) {
            clock.shift(jump);
            await pause(systemClock, step);
          }
        },
        outageMs: step,
        end: () => clock.shift(HOUR_MS),
      },
    );
    expect(Object.keys(figures.answers)).toEqual(['200']);
    expect(figures.recorded).toBe(figures.provided);
    const [times] = await gateway.query<{ first: number; last: number }>(
      sql`select min(started_at) as first, max(started_at) as last from calls`,
    );
    expect((times?.last ?? 0) - (times?.first ?? 0)).toBeGreaterThan(1.9 * HOUR_MS);
  });
});

describe.runIf(isLongForm)('in the long form', () => {
  test.skipIf(inject('redisServer') === null)(
    'a Redis that freezes stops no call',
    async () => {
      const redis = await startRedis(inject('redisServer') as string);
      cleanups.push(() => redis.stop());
      const stage = await startStage({ redisUrl: redis.url });
      // Without a limit, calls do not need Redis.
      await stage.admin('keys.rate', {
        ...{ space: 'acme', name: 'test' },
        ...{ requests_per_minute: 1_000_000, tokens_per_minute: null },
      });
      const { metricsUrl } = await stage.admin('status');
      let noticed = false;
      const figures = await runFault(stage, {
        name: `Redis freezes for ${seconds} s`,
        begin: () => redis.hold(),
        end: () => redis.release(),
        async other() {
          const metrics = await fetch(metricsUrl as string);
          noticed ||= /^tollgate_redis_away 1$/m.test(await metrics.text());
          return String(metrics.status);
        },
      });
      expect(noticed).toBe(true);
      expect(Object.keys(figures.answers)).toEqual(['200']);
      expect(figures.recorded).toBe(figures.provided);
    },
    FAULT_TEST_MS,
  );

  test(
    'a provider whose packets vanish costs its callers a timeout, and nothing is charged for it',
    async () => {
      let proxy: TcpProxy | null = null;
      const stage = await startStage({
        config: changeConfig(filesConfig, { limits: { upstream_silence_ms: 5_000 } }),
        async provider({ url }) {
          proxy = await proxyTo(Number(new URL(url).port));
          return { url: `http://127.0.0.1:${proxy.port}/v1` };
        },
      });
      const figures = await runFault(stage, {
        name: `a provider whose packets vanish for ${seconds} s (upstream_silence_ms: 5000)`,
        begin: () => proxy?.freezeAll(),
        end: () => proxy?.thaw(),
      });
      const expected = [
        '200',
        '200, ended with an error',
        '503 upstream_unavailable',
        '504 upstream_timeout',
      ];
      expect(expected).toEqual(expect.arrayContaining(Object.keys(figures.answers)));
      expect(figures.answers['504 upstream_timeout']).toBeGreaterThan(0);
      // What the provider sent into nothing is not charged.
      expect(figures.recorded).toBeLessThanOrEqual(figures.provided);
    },
    FAULT_TEST_MS,
  );

  test.skipIf(findBinaries() === null)(
    'a full disk under PostgreSQL loses no charge and doubles none (needs mount)',
    async (context) => {
      const small = mountSmallDisk(300) ?? context.skip();
      cleanups.push(() => small.remove());
      const settings = ['max_wal_size=64MB', 'min_wal_size=32MB'];
      const binaries = findBinaries() as string;
      const cluster = await createCluster({ binaries, durable: true, parent: small.folder, settings });
      cleanups.push(() => cluster.remove());
      const stage = await startStage({ databaseUrl: cluster.url });
      const figures = await runFault(stage, {
        name: `the disk of PostgreSQL is full for ${seconds} s`,
        begin: () => small.fill(),
        async end() {
          small.free();
          // A server that cannot write its log stops; its supervisor starts it again.
          if (!(await cluster.isRunning())) await cluster.start();
        },
      });
      expect(AWAY).toEqual(expect.arrayContaining(Object.keys(figures.answers)));
      expect(figures.answers['503 service_unavailable']).toBeGreaterThan(0);
      expect(figures.recorded).toBe(figures.provided);
    },
    FAULT_TEST_MS,
  );

  test(
    'a full disk under the embedded engine loses no charge and doubles none (needs mount)',
    async (context) => {
      const small = mountSmallDisk(150) ?? context.skip();
      cleanups.push(() => small.remove());
      const folder = join(small.folder, 'data');
      mkdirSync(folder);
      cpSync(inject('embeddedTemplate'), folder, { recursive: true });
      const stage = await startFaultStage({ databaseUrl: null, folder });
      cleanups.push(() => stage.remove());
      const figures = await runFault(stage, {
        name: `the disk of the embedded engine is full for ${seconds} s`,
        begin: () => small.fill(),
        end: () => small.free(),
      });
      expect(AWAY).toEqual(expect.arrayContaining(Object.keys(figures.answers)));
      expect(figures.answers['503 service_unavailable']).toBeGreaterThan(0);
      expect(figures.recorded).toBe(figures.provided);
    },
    FAULT_TEST_MS,
  );
});
