/** A gateway whose way to PostgreSQL can freeze, break and slow down, and a space that is short of units. */

import pg from 'pg';
import { expect, inject, vi } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { answerId } from '../../src/text/answer-ids.ts';
import { type ConfigChanges, changeConfig, pointAt } from './config.ts';
import { startGateway, type TestGateway } from './gateway.ts';
import { imagesConfig } from './images-stage.ts';
import { BACKGROUND_PATIENCE } from './patience.ts';
import { metricsOf, parseMetrics, sumOf } from './read-metrics.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export interface FrozenStage {
  readonly gateway: TestGateway;
  readonly proxy: TcpProxy;
  /** Uses several connections at once, so that there are several to freeze. */
  warm(): Promise<void>;
  /** A space that may not go beyond its units, and a key of it. */
  makePoor(name: string, units: string): Promise<{ spaceId: string; key: string }>;
  chat(key?: string): Promise<Answer>;
  image(key: string): Promise<Answer>;
  /** A response that is to be kept. */
  respond(): Promise<Answer>;
  /** A response that is kept before it runs in the background. Resolves when it has ended. */
  respondLater(): Promise<Answer>;
  /** A call whose answer is kept for repeats. */
  chatOnce(): Promise<Answer>;
  /** Calls that are durable and not in the database. */
  pendingCalls(): Promise<number>;
  /** Whether the gateway knows that its database does not answer. */
  isKnownOutage(): boolean;
  /** Holds the rows that the first writer of the gateway has, as a commit of it does that hangs. */
  lockWriter(): Promise<{ release(): Promise<void> }>;
  /** Responses that are to be kept wait until it is released. */
  lockKept(): Promise<{ release(): Promise<void> }>;
  /** How many transactions wait for a lock. */
  waitingForLocks(): Promise<number>;
  /** How many images the provider made since the stage began. */
  imagesMade(): number;
  stop(): Promise<void>;
}

export interface Answer {
  readonly id: string;
  readonly status: number;
  readonly cost: string | null;
  readonly retryAfter: string | null;
  readonly tookMs: number;
}

export const IMAGE_COST = '0.042';

export interface FrozenStageOptions {
  readonly clock?: Clock;
  /** The section of the configuration. */
  readonly metering?: ConfigChanges;
}

export async function startFrozenStage(options: FrozenStageOptions = {}): Promise<FrozenStage> {
  const { hostname, port } = new URL(inject('postgresUrl') as string);
  return await frozenStage({ host: hostname, port: Number(port) }, options);
}

async function frozenStage(
  server: { host: string; port: number },
  { clock, metering }: FrozenStageOptions,
): Promise<FrozenStage> {
  const proxy = await startTcpProxy(server);
  const gateway = await startGateway({
    engine: 'postgres',
    config: changeConfig(pointAt(imagesConfig, { fake: 'http://127.0.0.1:9' }), {
      prices: { models: { 'sim-chat': { input: 2.5, output: 10 } } },
      ...(metering && { metering }),
    }),
    through: proxy,
    ...(clock && { clock }),
  });
  const send = async (path: string, body: unknown, key: string, headers = {}): Promise<Answer> => {
    const beganMs = systemClock.elapsedMs();
    const reply = await gateway.post(path, body, { authorization: `Bearer ${key}`, ...headers });
    const { estimated_cost } = (await reply.json()) as { estimated_cost?: { amount: string } };
    return {
      id: reply.headers.get('x-request-id') ?? '',
      status: reply.status,
      cost: estimated_cost?.amount ?? null,
      retryAfter: reply.headers.get('retry-after'),
      tookMs: systemClock.elapsedMs() - beganMs,
    };
  };
  const hello = { model: 'sim-chat', messages: [{ role: 'user', content: 'Reply with exactly: hello' }] };
  const lock = async (statement: string, values: string[] = []): Promise<{ release(): Promise<void> }> => {
    const client = new pg.Client(gateway.databaseUrl as string);
    await client.connect();
    await client.query('begin');
    await client.query(statement, values);
    return { release: () => client.end() };
  };
  const response = { model: 'sim-chat', input: 'hello', store: true };
  const requireCompleted = async ({ id }: Answer): Promise<void> => {
    const found = await fetch(`${gateway.url}/v1/responses/${answerId('resp', id)}`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    });
    expect(await found.json()).toMatchObject({ status: 'completed' });
  };
  const chat = (key = gateway.key): Promise<Answer> => send('/v1/chat/completions', hello, key);
  return {
    gateway,
    proxy,
    chat,
    image: (key) => send('/v1/images/generations', { model: 'sim-image', prompt: 'a red square' }, key),
    respond: () => send('/v1/responses', response, gateway.key),
    async respondLater() {
      const answer = await send('/v1/responses', { ...response, background: true }, gateway.key);
      if (answer.status === 200) await vi.waitFor(() => requireCompleted(answer), BACKGROUND_PATIENCE);
      return answer;
    },
    chatOnce: () =>
      send('/v1/chat/completions', hello, gateway.key, { 'idempotency-key': newId('req', Date.now()) }),
    async pendingCalls() {
      const page = await (await metricsOf(gateway)).text();
      return sumOf(parseMetrics(page), 'tollgate_pending_calls') ?? 0;
    },
    isKnownOutage() {
      const known = (text: string): number => gateway.logged.filter((line) => line.includes(text)).length;
      return known('the database does not answer') > known('the database answers again');
    },
    lockWriter: () => lock('select 1 from dues where writer = (select min(id) from writers) for update'),
    lockKept: () => lock('select 1 from kept_usage for update'),
    async waitingForLocks() {
      const waiting = await gateway.query(sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      return waiting.length;
    },
    imagesMade: () => gateway.simulator.calls.filter((call) => call.path.includes('images')).length,
    async warm() {
      const listing = (): Promise<Response> =>
        fetch(`${gateway.url}/v1/files/file_${'0'.repeat(26)}`, {
          headers: { authorization: `Bearer ${gateway.key}` },
        });
      await Promise.all([chat(), ...Array.from({ length: 12 }, listing)]);
    },
    async makePoor(name, units) {
      await gateway.admin('spaces.create', { name, overage: false });
      await gateway.admin('grants.add', { space: name, amount: units, kind: 'paid' });
      const { key } = await gateway.admin('keys.create', {
        space: name,
        name: `key-${name}`,
        kind: 'shared',
      });
      const [space] = await gateway.query<{ id: string }>(sql`select id from spaces where name = ${name}`);
      return { spaceId: space?.id as string, key };
    },
    async stop() {
      // The gateway may still take leave of its database.
      proxy.thaw();
      await gateway.stop();
      await proxy.stop();
    },
  };
}
