/** What a call costs the database: one statement, the commit that it shares with others, also with limits on its units. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { engines } from '../support/engines.ts';
import { FaultyDatabase } from '../support/faulty-database.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** What runs regularly waits longer than this, and what belongs to a call does not. */
const CALL_MS_MAX = 200;

describe.each(engines)('a call that is alone on %s', (engine) => {
  const watched = new FaultyDatabase();
  let gateway: TestGateway;
  let isQuiet = false;
  /** Nothing that runs regularly runs while a test counts. */
  const clock: Clock = {
    ...systemClock,
    after: (delayMs, work) =>
      systemClock.after(delayMs, () => (isQuiet && delayMs > CALL_MS_MAX ? undefined : work())),
    every: (periodMs, work) => systemClock.every(periodMs, () => (isQuiet ? undefined : work())),
  };

  beforeAll(async () => {
    gateway = await startGateway({ engine, clock, wrapDatabase: watched.wrap });
  });
  afterAll(async () => {
    isQuiet = false;
    await gateway.stop();
  });

  const body = { model: 'sim-chat', messages: [{ role: 'user', content: 'Reply with exactly: yes' }] };
  const call = async (key: string, stream: boolean): Promise<number> => {
    const reply = await gateway.chat({ ...body, stream }, { authorization: `Bearer ${key}` });
    await reply.text();
    return reply.status;
  };

  test.each([
    ['with overage', { overage: true }, {}],
    ['without overage, of a key with a limit', { overage: false }, { month_limit: '5' }],
  ])('costs the commit and nothing else in a space %s, streamed or not', async (name, space, limits) => {
    const of = name.replaceAll(/[^a-z]+/g, '-');
    await gateway.admin('spaces.create', { name: of, ...space });
    await gateway.admin('grants.add', { space: of, amount: '10', kind: 'paid' });
    const { key } = await gateway.admin('keys.create', { space: of, name: of, kind: 'shared', ...limits });
    // The first one reads the key and asks for slices.
    expect(await call(key, false)).toBe(200);
    const statements: string[] = [];
    watched.before = ({ text }) => {
      statements.push(text);
      return null;
    };
    isQuiet = true;
    for (const stream of [false, true, false, true]) expect(await call(key, stream)).toBe(200);
    isQuiet = false;
    watched.before = () => null;
    // With the embedded engine a call is durable in a file, and many are applied later.
    expect(statements).toHaveLength(engine === 'embedded' ? 0 : 4);
    for (const text of statements) expect(text).toContain('charge_calls');
  });
});
