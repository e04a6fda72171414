/** Background responses when processes are killed, stop, or share the database. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/database/open-database.ts';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { callIdOf } from '../../src/text/answer-ids.ts';
import { openaiClient } from '../support/clients.ts';
import { testConfig } from '../support/config.ts';
import { engines } from '../support/engines.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { type Installed, install } from '../support/installed-gateway.ts';
import { PATIENCE } from '../support/patience.ts';
import { askedFor } from '../support/repeats-stage.ts';

const slow = (words: string): string =>
  `[[pace 50]] [[chunks 400]] Reply with exactly: ${`${words} `.repeat(100)}`;

describe.each(engines)('background responses of processes on %s', (engine) => {
  let place: Installed;
  let first: GatewayProcess;
  /** Only PostgreSQL has room for two. */
  let beside: GatewayProcess | null = null;
  beforeAll(async () => {
    place = await install(engine, testConfig({ limits: { drain_ms: 300 } }));
    [first, beside] = await Promise.all([
      startGatewayProcess(place),
      engine === 'postgres' ? startGatewayProcess(place) : null,
    ]);
  });
  afterAll(() => place.remove());

  const client = ({ url }: GatewayProcess) => openaiClient({ url, key: place.key });
  async function create(at: GatewayProcess, input: string): Promise<string> {
    return (await client(at).responses.create({ model: 'sim-chat', input, background: true })).id;
  }
  /** Reads events until the first words have come. */
  async function firstWords(at: GatewayProcess, id: string): Promise<number> {
    for await (const event of await client(at).responses.retrieve(id, { stream: true }))
      if (event.type === 'response.output_text.delta') return event.sequence_number;
    return -1;
  }
  async function lastEvent(at: GatewayProcess, id: string): Promise<string> {
    let last = '';
    try {
      for await (const event of await client(at).responses.retrieve(id, { stream: true })) last = event.type;
      return last;
    } catch (error) {
      return String(error);
    }
  }
  async function query<Row extends object>(
    statement: Parameters<Awaited<ReturnType<typeof openDatabase>>['query']>[0],
  ) {
    const db = await openDatabase({ url: place.databaseUrl, folder: place.folder, clock: systemClock });
    try {
      return await db.query<Row>(statement);
    } finally {
      await db.close();
    }
  }
  /** As if the lease of a killed process had ended. */
  const endLease = (id: string) =>
    query(
      sql`update repeatable_calls set lease_until = now() - interval '1 second' where call_id = ${callIdOf(id)}`,
    );

  test.runIf(engine === 'postgres')('are read, streamed and cancelled through another process', async () => {
    const [here, other] = [client(first), client(beside as GatewayProcess)];
    const short = await create(first, '[[pace 30]] Reply with exactly: read elsewhere');
    const streamed: number[] = [];
    for await (const event of await other.responses.retrieve(short, { stream: true }))
      streamed.push(event.sequence_number);
    expect(streamed).toEqual(streamed.map((_, i) => i));
    expect((await other.responses.retrieve(short)).output_text).toBe('read elsewhere');

    const long = await create(first, slow('elsewhere'));
    expect((await other.responses.retrieve(long)).status).toBe('in_progress');
    expect(await other.responses.cancel(long)).toMatchObject({ status: 'cancelled' });
    await vi.waitFor(() => expect(place.simulator.calls.at(-1)?.aborted).toBe(true), PATIENCE);
    expect(await here.responses.retrieve(long)).toMatchObject({ status: 'cancelled' });
  });

  test('have failed after kill -9, are charged for what was stored, and are not sent again; a process that stops declares them', async () => {
    const id = await create(first, slow('killed'));
    await firstWords(first, id);
    await vi.waitFor(async () => expect(await firstWords(beside ?? first, id)).toBeGreaterThan(0), PATIENCE);
    const following = beside === null ? null : lastEvent(beside, id);
    await first.kill();
    await endLease(id);
    const next = beside ?? (await startGatewayProcess(place));
    const lost = await client(next).responses.retrieve(id);
    expect(lost).toMatchObject({ status: 'failed', background: true, error: { code: 'response_lost' } });
    if (following !== null) expect(await following).toContain('was lost');
    expect(await client(next).responses.cancel(id)).toMatchObject({ status: 'failed' });

    const stopped = await create(next, slow('stopped'));
    await firstWords(next, stopped);
    expect(await next.stop()).toBe(0);
    expect([askedFor(place, 'killed'), askedFor(place, 'stopped')]).toEqual([1, 1]);
    const [state] = await query<{ state: string; head: string }>(
      sql`select state, head from kept_responses where id = ${stopped}`,
    );
    // A process has 3 s to settle what it ends; on a busy machine that may not be enough, and another one declares it.
    const settled = state?.state === 'failed';
    if (settled) expect(state?.head).toContain('service_unavailable');
    const calls = await query<{ outcome: string; problem: string }>(sql`
      select outcome, problem from calls where id = any (${[id, stopped].map(callIdOf)}) order by started_at`);
    expect(calls).toMatchObject([
      { outcome: expect.stringMatching(/partial|failed/), problem: 'response_lost' },
      ...(settled ? [{ outcome: 'partial', problem: 'service_unavailable' }] : []),
    ]);
  });
});
