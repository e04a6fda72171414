/** A gateway whose way to PostgreSQL can freeze, break and slow down, and a space that is short of units. */

import { inject } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { changeConfig, pointAt } from './config.ts';
import { startGateway, type TestGateway } from './gateway.ts';
import { imagesConfig } from './images-stage.ts';
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

export async function startFrozenStage(options: { clock?: Clock } = {}): Promise<FrozenStage> {
  const { hostname, port } = new URL(inject('postgresUrl') as string);
  return await frozenStage({ host: hostname, port: Number(port) }, options);
}

async function frozenStage(
  server: { host: string; port: number },
  options: { clock?: Clock },
): Promise<FrozenStage> {
  const proxy = await startTcpProxy(server);
  const gateway = await startGateway({
    engine: 'postgres',
    config: changeConfig(pointAt(imagesConfig, { fake: 'http://127.0.0.1:9' }), {
      prices: { models: { 'sim-chat': { input: 2.5, output: 10 } } },
    }),
    through: proxy,
    ...options,
  });
  const send = async (path: string, body: unknown, key: string): Promise<Answer> => {
    const beganMs = systemClock.elapsedMs();
    const reply = await gateway.post(path, body, { authorization: `Bearer ${key}` });
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
  const chat = (key = gateway.key): Promise<Answer> => send('/v1/chat/completions', hello, key);
  return {
    gateway,
    proxy,
    chat,
    image: (key) => send('/v1/images/generations', { model: 'sim-image', prompt: 'a red square' }, key),
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
