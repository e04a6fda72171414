/** A Redis that is unavailable or does not answer stops no call. */
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { readSettings } from '../../src/app/settings.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { chatWith, newKey, setRate } from '../support/rates-stage.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';

const AWAY = 'Redis is unavailable';
const BACK = 'Redis is available again';

const emptyConfig = { file: 'tollgate.yaml', demo: false, content: { providers: {}, models: {} } };

const redisServer = inject('redisServer');

describe.runIf(redisServer !== null)('with Redis', () => {
  let redis: TestRedis;
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    redis = await startRedis(redisServer as string);
    gateway = await startGateway({ env: { REDIS_URL: redis.url } });
    key = await newKey(gateway, 'limited');
    await setRate(gateway, 'keys', 'limited', { requests: 100_000 });
  });
  afterAll(async () => {
    await gateway.stop();
    await redis.stop();
  });

  const logged = (words: string): number => gateway.logged.filter((line) => line.includes(words)).length;
  const call = (of = key): Promise<Response> => chatWith(gateway.url, of);

  async function metric(): Promise<string | undefined> {
    const { metricsUrl } = await gateway.admin('status');
    const text = await (await fetch(metricsUrl as string)).text();
    return /^tollgate_redis_away (\d)$/m.exec(text)?.[1];
  }

  /** On a busy machine even a working Redis may time out once, so log lines come in pairs. */
  const away = (): boolean => logged(AWAY) === logged(BACK) + 1;

  async function untilBack(): Promise<void> {
    const back = async (): Promise<void> => {
      expect((await call()).status).toBe(200);
      expect(away()).toBe(false);
      expect(await metric()).toBe('0');
    };
    await vi.waitFor(back, PATIENCE);
  }

  test('an outage during calls is logged once, and so is its end; every call is answered', async () => {
    await untilBack();
    let killing: Promise<void> | null = null;
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        if (i === 30) killing = redis.kill();
        return (await call()).status;
      }),
    );
    await killing;
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    await vi.waitFor(() => expect(away()).toBe(true), PATIENCE);
    const lines = logged(AWAY);
    for (let i = 0; i < 10; i++) expect((await call()).status).toBe(200);
    expect(logged(AWAY)).toBe(lines);
    expect(await metric()).toBe('1');
    await redis.startAgain();
    await untilBack();
  });

  test('during an outage the limit is enforced with the counts of this process', async () => {
    const strict = await newKey(gateway, 'strict');
    await setRate(gateway, 'keys', 'strict', { requests: 2 });
    expect((await call(strict)).status).toBe(200);
    await redis.kill();
    await vi.waitFor(() => expect(away()).toBe(true), PATIENCE);
    expect((await call(strict)).status).toBe(200);
    expect((await call(strict)).status).toBe(429);
    await redis.startAgain();
    await untilBack();
    // Redis lost its counts; the process still has them.
    expect((await call(strict)).status).toBe(429);
  });

  test('calls do not wait for a Redis that does not answer', async () => {
    await untilBack();
    const late = logged('no answer within 100 ms');
    redis.hold();
    expect((await call()).status).toBe(200);
    expect(away()).toBe(true);
    expect(logged('no answer within 100 ms')).toBe(late + 1);
    redis.release();
    await untilBack();
  });
});

test('a gateway whose Redis is unreachable starts and answers', async () => {
  const gateway = await startGateway({ env: { REDIS_URL: 'redis://127.0.0.1:1' } });
  const key = await newKey(gateway, 'limited');
  await setRate(gateway, 'keys', 'limited', { requests: 1 });
  expect((await chatWith(gateway.url, key)).status).toBe(200);
  expect((await chatWith(gateway.url, key)).status).toBe(429);
  expect(gateway.logged.filter((line) => line.includes(AWAY))).toHaveLength(1);
  await gateway.stop();
});

test('an invalid Redis address is rejected at start, without printing it', () => {
  const read = (): unknown => readSettings({}, { REDIS_URL: 'http://user:hunter2@example.com' }, emptyConfig);
  expect(read).toThrow(/^REDIS_URL/);
  expect(read).not.toThrow(/hunter2/);
});
