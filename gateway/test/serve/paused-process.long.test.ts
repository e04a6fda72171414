/** A process that the system pauses, as when a virtual machine is moved or its processors are taken away. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/database/sql.ts';
import { pause, systemClock } from '../../src/kernel/time.ts';
import { type BesideProcess, startBesideProcess } from '../support/beside.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** Longer than any deadline of a call's statement. */
const PAUSED_MS = 4_000;
const ARRIVING = 100;

describe.runIf(engines.includes('postgres'))('a process that was paused', () => {
  let gateway: TestGateway;
  let running: BesideProcess;
  beforeAll(async () => {
    gateway = await startGateway({ engine: 'postgres' });
    running = await startBesideProcess(gateway);
  });
  afterAll(async () => {
    await running?.stop();
    await gateway?.stop();
  });

  async function call(): Promise<{ status: number; text: string; id: string }> {
    const reply = await fetch(`${running.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim-chat', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    return { status: reply.status, text: await reply.text(), id: reply.headers.get('x-request-id') ?? '' };
  }

  test('answers the calls that were under way and those that arrived meanwhile', async () => {
    await call();
    let going = true;
    const load = Array.from({ length: 8 }, async () => {
      const answers = [];
      while (going) answers.push(await call());
      return answers;
    });
    await pause(systemClock, 500);
    process.kill(running.pid, 'SIGSTOP');
    const arriving = Array.from({ length: ARRIVING }, () => call());
    await pause(systemClock, PAUSED_MS);
    process.kill(running.pid, 'SIGCONT');
    const answers = await Promise.all(arriving);
    going = false;
    answers.push(...(await Promise.all(load)).flat());
    expect(
      answers.filter(({ status }) => status !== 200).map(({ status, text }) => `${status} ${text}`),
    ).toEqual([]);
    const rows = await gateway.query<{ id: string }>(sql`select id from calls`);
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(answers.map(({ id }) => id)));
  });
});
