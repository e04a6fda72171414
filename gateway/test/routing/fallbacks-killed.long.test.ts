/** A process that is killed while another model answers for the one that failed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { type Installed, install } from '../support/installed-gateway.ts';
import { LimitedProvider } from '../support/limited-provider.ts';
import { paths } from '../support/repeats-stage.ts';

describe.each(engines)('kill -9 during a fallback on %s', (engine) => {
  let place: Installed;
  let one: LimitedProvider;
  let two: LimitedProvider;

  beforeAll(async () => {
    [one, two] = [await LimitedProvider.start(), await LimitedProvider.start()];
    one.answer = () => ({ status: 503 });
    place = await install(
      engine,
      testConfig({
        providers: {
          one: { dialect: 'openai', base_url: one.url, api_key: 'first' },
          two: { dialect: 'openai', base_url: two.url, api_key: 'second' },
        },
        models: {
          main: {
            fallbacks: [{ model: 'other', on: ['outage'] }],
            routes: [{ provider: 'one', model: 'main' }],
          },
          other: { routes: [{ provider: 'two', model: 'other' }] },
        },
        prices: { main: { input: 1, output: 1 }, other: { input: 100, output: 1000 } },
      }),
    );
  });
  afterAll(async () => {
    await place?.remove();
    await Promise.all([one?.stop(), two?.stop()]);
  });

  function ask({ url }: GatewayProcess, headers: Record<string, string>): Promise<Response> {
    return fetch(`${url}${paths.chat}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${place.key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'main', messages: [{ role: 'user', content: 'Hi' }] }),
    });
  }

  /** Kills the process when the other model has received the call and not answered it. */
  async function askAndKill(gateway: GatewayProcess, headers: Record<string, string>): Promise<void> {
    const reached = new Promise<void>((resolve) => {
      two.answer = () => {
        resolve();
        return new Promise(() => undefined);
      };
    });
    const cut = ask(gateway, headers).then(
      ({ status }) => status,
      () => 'cut',
    );
    await reached;
    await gateway.kill();
    expect(await cut).toBe('cut');
    two.answer = () => null;
  }

  test('the call is charged only when a repeat of it was answered, once, as the model that answered', async () => {
    await askAndKill(await startGatewayProcess(place), {});
    const key = { 'idempotency-key': 'killed' };
    await askAndKill(await startGatewayProcess(place), key);

    const gateway = await startGatewayProcess(place);
    const answers = [await ask(gateway, key), await ask(gateway, key)];
    const [text, repeated] = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(repeated).toBe(text);
    expect(answers[0]?.headers.get('x-tollgate-model')).toBe('other');
    expect(await gateway.stop()).toBe(0);
    // Twice cut, once answered.
    expect(two.requests).toHaveLength(3);

    const db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
    try {
      const charged = await db.query(sql`select id, model, cost::text as cost from calls where cost <> 0`);
      const id = answers[0]?.headers.get('x-request-id');
      expect(charged).toEqual([{ id, model: 'other', cost: '0.006000000000' }]);
      expect(await db.query(sql`select sum(spent)::text as spent from journal`)).toEqual([
        { spent: '0.006000000000' },
      ]);
    } finally {
      await db.close();
    }
  });
});
