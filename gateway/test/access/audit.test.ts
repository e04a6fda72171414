/**
 * The audit log: every change writes exactly one line, in the same transaction. There is a case for each operation in
 * `support/admin-cases.ts`; an operation that is added without a case fails here.
 */
import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../src/administration/operations.ts';
import { operationNames } from '../../src/contract/administration/admin-endpoints.ts';
import { sql } from '../../src/database/sql.ts';
import { changes, operationsWithoutCase, PASSWORD, reads } from '../support/admin-cases.ts';
import { type AdminStage, type Secrets, startAdminStage } from '../support/admin-stage.ts';
import { readDigests, readEverything } from '../support/database-state.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { runCli } from '../support/run-cli.ts';

/** Where answers show a secret. */
const secretsIn = ({ key, code, token }: Secrets) =>
  [key, code, token].filter((secret) => typeof secret === 'string');

interface Line {
  readonly actor: string;
  readonly action: string;
  readonly space: string | null;
  readonly subject: string;
  readonly before: unknown;
  readonly after: unknown;
}

test('every operation is implemented, and has a case', () => {
  expect(operationNames.filter((name) => !operations.has(name))).toEqual([]);
  expect(operationsWithoutCase, 'Add them to changes or reads in test/support/admin-cases.ts.').toEqual([]);
});

describe.each(engines)('the audit log on %s', (engine) => {
  let stage: AdminStage;
  let gateway: TestGateway;
  /** Every text of a key, password and sign-in code that there was. */
  const secrets = new Set<string>([PASSWORD]);

  beforeAll(async () => {
    stage = await startAdminStage({ engine });
    ({ gateway } = stage);
    secrets.add(gateway.key);
  });
  afterAll(() => gateway.stop());

  const run: AdminStage['run'] = (name, input) => stage.run(name, input);
  const state = () => readDigests(gateway);

  function lines(): Promise<Line[]> {
    return gateway.query<Line>(sql`
      select a.actor, a.action, s.name as space, a.subject, a.before, a.after
      from audit_log a left join spaces s on s.id = a.space_id order by a.id`);
  }

  test('an operation that fails leaves neither a change nor a line', async () => {
    const before = await state();
    for (const [name, { bad }] of Object.entries(changes)) {
      await expect(run(name, bad), name).rejects.toThrow();
      expect(await state(), name).toEqual(before);
    }
  });

  test('a change whose line cannot be written is not made', async () => {
    await gateway.query(sql`alter table audit_log add constraint closed check (false) not valid`);
    const before = await state();
    for (const [name, { args }] of Object.entries(changes)) {
      await expect(run(name, args), name).rejects.toThrow(/closed/);
      expect(await state(), name).toEqual(before);
    }
    await gateway.query(sql`alter table audit_log drop constraint closed`);
  });

  test('every change writes exactly one line: who, what, before, after', async () => {
    let [held, written] = [await state(), await lines()];
    for (const [name, { args, space, subject, before, after }] of Object.entries(changes)) {
      const answer = await run(name, args);
      for (const secret of secretsIn(answer)) secrets.add(secret);
      const holds = await state();
      const { audit_log: _, ...rest } = holds;
      expect(held, name).not.toMatchObject(rest);
      const now = await lines();
      expect(now.slice(0, written.length)).toEqual(written);
      const about = stage.known.get(subject) ?? subject;
      expect(now.slice(written.length), name).toEqual([
        { actor: 'test', action: name, space, subject: about, before, after },
      ]);
      [held, written] = [holds, now];
    }
  });

  test('operations that read write nothing', async () => {
    const before = await state();
    for (const [name, args] of Object.entries(reads)) await run(name, args);
    expect(await state()).toEqual(before);
  });

  test('no key, password or sign-in code is in it, nor anywhere else in the database', async () => {
    // The password, three texts of keys and one code, at least.
    expect(secrets.size).toBeGreaterThanOrEqual(5);
    const held = await readEverything(gateway);
    expect(held).toContain('keys.rotate');
    for (const secret of secrets) expect(held).not.toContain(secret);
  });

  test('it is listed newest first, for all spaces or one, up to the limit', async () => {
    const { data: all } = await gateway.admin('audit.all', { limit: 1000 });
    expect(all.map(({ action }) => action)).toEqual((await lines()).map(({ action }) => action).reverse());
    const { data: own } = await gateway.admin('audit.list', { space: 'debtor', limit: 2 });
    expect(own.map(({ action, space }) => [action, space])).toEqual([
      ['ledger.correct', 'debtor'],
      ['spaces.invoice', 'debtor'],
    ]);
  });

  test('one line is found by its number: in its space, or by an operator anywhere', async () => {
    const [line] = (await gateway.admin('audit.list', { space: 'debtor', limit: 1 })).data;
    const of = { line: String(line?.id) };
    expect(await gateway.admin('audit.get', { ...of, space: 'debtor' })).toEqual(line);
    expect(await gateway.admin('audit.getAny', of)).toEqual(line);
    const elsewhere = gateway.admin('audit.get', { ...of, space: 'acme' });
    await expect(elsewhere).rejects.toThrow(`There is no line ${line?.id} in the audit log of acme.`);
    const missing = gateway.admin('audit.get', { line: '999999999', space: 'acme' });
    await expect(missing).rejects.toThrow('There is no line 999999999 in the audit log of acme.');
    const { data: installation } = await gateway.admin('audit.all', { action: 'operators.add', limit: 1 });
    const [added] = installation;
    expect(await gateway.admin('audit.getAny', { line: String(added?.id) })).toEqual(added);
  });
});

test('the command line names its operator, and shows only what changed', async () => {
  const gateway = await startGateway();
  try {
    const run = (...args: string[]) =>
      runCli([...args, '--data', gateway.folder, '--config', gateway.configFile]);
    expect((await run('keys', 'limit', 'test', '5')).code).toBe(0);
    const { stdout } = await run('audit', '--limit', '1');
    const [head, line, ...more] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^ID +AT +ACTOR +ACTION +SPACE +SUBJECT +CHANGE$/);
    expect(line).toMatch(
      new RegExp(`operator:${userInfo().username} +keys\\.limit +acme +test +month_limit: none → 5$`),
    );
    expect(more).toEqual([]);
    const [id = ''] = line?.split(' ') ?? [];
    for (const where of [[], ['--space', 'acme']]) {
      const one = await run('audit', 'get', id, ...where, '--json');
      expect(JSON.parse(one.stdout)).toMatchObject({ id: Number(id), after: { month_limit: '5' } });
    }
  } finally {
    await gateway.stop();
  }
});
