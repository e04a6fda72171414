/** What operators see of processes and of the units and limits that they have taken. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { version } from '../../src/app/version.ts';
import { sql } from '../../src/database/sql.ts';
import { CommandProcess } from '../support/command-process.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { BACKGROUND_PATIENCE, PATIENCE } from '../support/patience.ts';

describe.each(engines)('processes on %s', (engine) => {
  let gateway: TestGateway;
  const commands = new CommandProcess();
  beforeAll(async () => {
    gateway = await startGateway({ engine });
  });
  afterAll(async () => {
    await commands.stop();
    await gateway.stop();
  });

  test('the server is listed with its lease, and what it has taken and not spent by kind', async () => {
    const space = 'sharing';
    await gateway.admin('spaces.create', { name: space, overage: false });
    await gateway.admin('grants.add', { space, amount: '8', kind: 'paid' });
    const { key } = await gateway.admin('keys.create', {
      space,
      name: 'own',
      kind: 'shared',
      month_limit: '4',
    });
    const messages = [{ role: 'user', content: 'hello' }];
    const reply = await gateway.chat({ model: 'sim-chat', messages }, { authorization: `Bearer ${key}` });
    expect(reply.status, await reply.text()).toBe(200);
    const cost = Number(reply.headers.get('x-tollgate-cost-units'));
    expect(cost).toBeGreaterThan(0);
    // A process that has ended is not shown, and neither are its slices.
    await gateway.query(sql`
      insert into slices (purse, process_id, granted) values ('space:spc_gone', 'prc_gone', 2)`);

    const { processes, purses } = await vi.waitFor(async () => {
      const found = await gateway.admin('installation.processes', {});
      const given = await gateway.query<{ kind: string; given: string }>(sql`
        select split_part(purse, ':', 1) as kind, sum(granted) as given from slices
        where process_id <> 'prc_gone' group by 1 order by 1 desc`);
      const kinds = given.map(({ kind, given: sum }) => ({
        ...{ kind, purses: 1, slices: 1 },
        unspent: expect.toSatisfy((units) => Math.abs(Number(units) - (Number(sum) - cost)) < 1e-9),
      }));
      expect(found.purses).toEqual([
        ...kinds,
        { kind: 'member', purses: 0, slices: 0, unspent: '0' },
        { kind: 'budget', purses: 0, slices: 0, unspent: '0' },
      ]);
      return found;
    }, PATIENCE);
    expect(purses.map(({ kind }) => kind)).toEqual(['space', 'key', 'member', 'budget']);
    expect(processes).toEqual([
      expect.objectContaining({ pid: process.pid, version, alive: true, roles: ['http', 'worker', 'logs'] }),
    ]);
    const [own] = processes;
    expect(Date.parse(own?.lease_until ?? '')).toBeGreaterThan(Date.parse(own?.since ?? ''));

    const place = ['--data', gateway.folder, '--config', gateway.configFile];
    const ran = async (...more: string[]): Promise<string> =>
      (await commands.run(['installation', 'processes', ...more, ...place], { cwd: gateway.folder })).stdout;
    expect(JSON.parse(await ran('--json'))).toMatchObject({ processes: [{ id: own?.id }], purses });
    const shown = await ran();
    expect(shown).toContain(own?.id);
    expect(shown).toMatch(/^KIND +PURSES +SLICES +UNSPENT$/m);
    expect(shown).toMatch(/^key +1 +1 +\d/m);
  });

  test('each process shows what its running calls hold, as of the last renewal of its lease', async () => {
    const { key } = await gateway.admin('keys.create', { space: 'sharing', name: 'held', kind: 'shared' });
    const shown = async () => (await gateway.admin('installation.processes', {})).processes[0]?.holds;
    const leaving = new AbortController();
    const call = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sim-chat',
        messages: [{ role: 'user', content: '[[fault hang]] hi' }],
      }),
      signal: leaving.signal,
    });
    await expect.poll(shown, BACKGROUND_PATIENCE).toEqual({
      ...{ calls: 1, oldest_seconds: expect.any(Number) },
      ...{ recalls_sent: 0, recalls_answered: 0, slices_folded: 0 },
    });
    leaving.abort();
    await expect(call).rejects.toThrow('aborted');
    await expect.poll(shown, BACKGROUND_PATIENCE).toMatchObject({ calls: 0, oldest_seconds: 0 });
    const { stdout } = await commands.run(
      ['installation', 'processes', '--data', gateway.folder, '--config', gateway.configFile],
      { cwd: gateway.folder },
    );
    expect(stdout).toMatch(/^PROCESS +CALLS +OLDEST_SECONDS +RECALLS_SENT/m);
  });

  test('a process that does not renew its lease is shown as not alive until it is ended', async () => {
    await gateway.query(sql`
      insert into processes (id, host, pid, version, roles, journal, started_at, lease_until)
      values ('prc_frozen', 'away', 1, '0.0.1', 'api', true, '2026-01-01', '2026-01-01')`);
    const { processes } = await gateway.admin('installation.processes', {});
    expect(processes[0]).toEqual({
      ...{ id: 'prc_frozen', host: 'away', pid: 1, version: '0.0.1', roles: ['api'] },
      ...{
        since: expect.stringContaining('2026-01-01T'),
        lease_until: expect.any(String),
        alive: false,
        holds: null,
      },
    });
    await gateway.query(sql`update processes set ended_at = lease_until where id = 'prc_frozen'`);
    expect((await gateway.admin('installation.processes', {})).processes).toHaveLength(1);
  });
});
