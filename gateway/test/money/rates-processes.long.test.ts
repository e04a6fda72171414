/** Per-minute rate limits over several processes: approximate through the database, exact through Redis. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { PATIENCE } from '../support/patience.ts';
import { chatWith, newKey, rateHeadersOf, setRate } from '../support/rates-stage.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';

const CAP = 50;
const CALLS = 200;
/** Enough time for a test, so that no minute ends during it and frees a part of the cap. */
const ROOM_MS = 8_000;

async function untilTheMinuteHasRoom(): Promise<void> {
  const leftMs = (): number => 60_000 - (Date.now() % 60_000);
  await vi.waitFor(() => expect(leftMs()).toBeGreaterThan(ROOM_MS), {
    timeout: ROOM_MS + 2_000,
    interval: 50,
  });
}

interface Stage {
  readonly gateway: TestGateway;
  readonly processes: readonly [GatewayProcess, GatewayProcess];
  stop(): Promise<void>;
}

/** A gateway for administration, and two processes on the same database. */
async function twoProcesses(redisUrl?: string): Promise<Stage> {
  const gateway = await startGateway({ engine: 'postgres' });
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'tollgate-test-rates-')));
  const processes = await Promise.all(
    folders.map((folder) =>
      startGatewayProcess({
        folder,
        configFile: gateway.configFile,
        databaseUrl: gateway.databaseUrl,
        ...(redisUrl !== undefined && { redisUrl }),
      }),
    ),
  );
  return {
    gateway,
    processes: processes as [GatewayProcess, GatewayProcess],
    async stop() {
      await Promise.all(processes.map((process) => process.stop()));
      await gateway.stop();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sends all calls concurrently, alternating between the processes, and returns how many were admitted. */
async function burst({ processes }: Stage, key: string): Promise<number> {
  const replies = await Promise.all(
    Array.from({ length: CALLS }, async (_, i) => {
      const reply = await chatWith(processes[i % 2 === 0 ? 0 : 1].url, key);
      await reply.text();
      return reply.status;
    }),
  );
  const passed = replies.filter((status) => status === 200).length;
  expect(replies.filter((status) => status === 429)).toHaveLength(CALLS - passed);
  return passed;
}

async function limited(stage: Stage, name: string, rate: Parameters<typeof setRate>[3]): Promise<string> {
  const key = await newKey(stage.gateway, name);
  await setRate(stage.gateway, 'keys', name, rate);
  // Each process gets a notification, or polls within a second.
  for (const { url } of stage.processes) {
    const limits = async (): Promise<void> => expect(rateHeadersOf(await chatWith(url, key))).not.toEqual({});
    await vi.waitFor(limits, PATIENCE);
  }
  return key;
}

describe.runIf(engines.includes('postgres'))('two processes without Redis', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await twoProcesses();
  });
  afterAll(() => stage.stop());

  test('what one process admits counts in the other within two seconds', async () => {
    const key = await limited(stage, 'shared', { requests: CAP });
    await untilTheMinuteHasRoom();
    const [one, other] = stage.processes;
    // `limited` made one call on each process, which used that part of the cap.
    while ((await chatWith(one.url, key)).status === 200);
    const refused = async (): Promise<void> => {
      const reply = await chatWith(other.url, key);
      expect(reply.status).toBe(429);
      expect(((await reply.json()) as { detail: string }).detail).toMatch(/of 50 requests per minute/);
    };
    await vi.waitFor(refused, { timeout: 4_000, interval: 100 });
  });

  test('200 concurrent calls exceed the limit by no more than what the other process admits meanwhile', async () => {
    const key = await limited(stage, 'burst', { requests: CAP });
    await untilTheMinuteHasRoom();
    const passed = await burst(stage, key);
    // Two calls were used to check that both processes know the limit.
    expect(passed).toBeGreaterThanOrEqual(CAP - 2);
    expect(passed).toBeLessThanOrEqual(2 * CAP);
    // After an exchange both processes know all counts.
    for (const { url } of stage.processes) {
      const used = async (): Promise<void> => {
        const { detail } = (await (await chatWith(url, key)).json()) as { detail: string };
        expect(Number(/(\d+) of 50 requests/.exec(detail)?.[1])).toBeGreaterThanOrEqual(passed);
      };
      await vi.waitFor(used, PATIENCE);
    }
  });
});

const redisServer = inject('redisServer');

describe.runIf(engines.includes('postgres') && redisServer !== null)('two processes with Redis', () => {
  let redis: TestRedis;
  let stage: Stage;
  beforeAll(async () => {
    redis = await startRedis(redisServer as string);
    stage = await twoProcesses(redis.url);
  });
  afterAll(async () => {
    await stage.stop();
    await redis.stop();
  });

  test('of 200 concurrent calls exactly as many pass as the limit allows', async () => {
    const key = await limited(stage, 'exact', { requests: CAP + 2 });
    await untilTheMinuteHasRoom();
    expect(await burst(stage, key)).toBe(CAP);
    expect(await burst(stage, key)).toBe(0);
  });

  test('tokens that one process used count in the other immediately', async () => {
    const key = await limited(stage, 'tokens', { tokens: 100_000 });
    await untilTheMinuteHasRoom();
    const [one, other] = stage.processes;
    const reply = await chatWith(one.url, key);
    const { usage } = (await reply.json()) as { usage: { total_tokens: number } };
    const left = Number(rateHeadersOf(reply)['remaining-tokens']);
    const seen = await chatWith(other.url, key);
    expect(Number(rateHeadersOf(seen)['remaining-tokens'])).toBe(left - usage.total_tokens);
  });
});
