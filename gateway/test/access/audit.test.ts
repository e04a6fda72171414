/**
 * The audit log: every change writes exactly one line, in the same transaction. There is a case for each operation in
 * `support/admin-cases.ts`; an operation that is added without a case fails here.
 */
import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingOperations, operations } from '../../src/administration/operations.ts';
import { changes as isChange } from '../../src/contract/administration/admin-endpoint.ts';
import { sql } from '../../src/database/sql.ts';
import {
  acme,
  BATCH,
  BUILD,
  CALL,
  changes,
  type Input,
  kim,
  lee,
  otto,
  PASSWORD,
  reads,
  shut,
  spare,
  web,
} from '../support/admin-cases.ts';
import { engines } from '../support/engines.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { runCli } from '../support/run-cli.ts';

interface Line {
  readonly actor: string;
  readonly action: string;
  readonly space: string | null;
  readonly subject: string;
  readonly before: unknown;
  readonly after: unknown;
}

test('every operation has a case here, in the table it belongs to', () => {
  expect(missingOperations).toEqual([]);
  const named = (wanted: boolean) =>
    [...operations.values()].filter(({ endpoint }) => isChange(endpoint) === wanted).map(({ name }) => name);
  expect(Object.keys(changes).sort()).toEqual(named(true).sort());
  expect(Object.keys(reads).sort()).toEqual(named(false).sort());
});

describe.each(engines)('the audit log on %s', (engine) => {
  let gateway: TestGateway;
  /** What was not known before the run. */
  const known = new Map<unknown, string>();
  /** Every text of a key, password and sign-in code that there was. */
  const secrets = new Set<string>([PASSWORD]);

  beforeAll(async () => {
    gateway = await startGateway({ engine });
    secrets.add(gateway.key);
    await gateway.admin('spaces.create', { name: 'lab', overage: true });
    await gateway.admin('spaces.create', { name: 'debtor', overage: true });
    await gateway.admin('members.add', { ...kim, role: 'member' });
    await gateway.admin('members.add', { ...lee, role: 'member' });
    await gateway.admin('operators.add', { ...otto, password: PASSWORD });
    for (const project of [web, shut]) await gateway.admin('projects.add', { ...acme, ...project });
    known.set(BUILD, (await gateway.admin('builds.start', { ...acme, project: web.id })).id);
    await gateway.admin('keys.create', { ...spare, kind: 'shared' });
    const made = await gateway.admin('keys.create', {
      space: 'debtor',
      name: 'debtor',
      kind: 'shared',
    });
    const words = [{ role: 'user', content: 'Hello' }];
    const body = { model: 'sim-chat', messages: words };
    const reply = await gateway.chat(body, { authorization: `Bearer ${made.key}` });
    expect(reply.status).toBe(200);
    known.set(CALL, reply.headers.get('x-request-id') as string);
    await holdBatchBack();
  });
  afterAll(() => gateway.stop());

  /** A batch whose settlement waits for an operator, and whose job is in other hands for long. */
  async function holdBatchBack(): Promise<void> {
    await gateway.query(sql`
      insert into batches (id, space_id, owner, key_id, input_file_id, endpoint, model, status, total, created_at,
        expires_at, settlement_status, settlement_reason)
      select ${BATCH}, id, 'o', 'k', 'f', 'chat', 'sim-chat', 'completed', 1, now(), now(), 'quarantined',
        'a line has no usage'
      from spaces where name = 'acme'`);
    await gateway.query(sql`
      insert into jobs (kind, subject, due_at, created_at, lease_until)
      values ('batch', ${BATCH}, now() + interval '1 day', now(), now() + interval '1 day')`);
  }

  const fill = (input: Input): Input =>
    Object.fromEntries(Object.entries(input).map(([name, value]) => [name, known.get(value) ?? value]));

  /** By names that the compiler does not know. */
  const run = (name: string, input: object) =>
    gateway.admin(name as 'status', fill(input as Input)) as Promise<{ key?: string; code?: string }>;

  function lines(): Promise<Line[]> {
    return gateway.query<Line>(sql`
      select a.actor, a.action, s.name as space, a.subject, a.before, a.after
      from audit_log a left join spaces s on s.id = a.space_id order by a.id`);
  }

  /** Everything the database holds, table by table. */
  async function state(): Promise<Record<string, string>> {
    const tables = await gateway.query<{ name: string }>(sql`
      select table_name::text as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`);
    const held: Record<string, string> = {};
    for (const { name } of tables) {
      const text = `select coalesce(string_agg(t::text, ';' order by t::text), '') as rows from "${name}" t`;
      const [row] = await gateway.query<{ rows: string }>({ text, values: [] });
      held[name] = row?.rows ?? '';
    }
    return held;
  }

  test('an operation that fails leaves neither a change nor a line', async () => {
    for (const [name, { bad }] of Object.entries(changes)) {
      const before = await state();
      await expect(run(name, bad), name).rejects.toThrow();
      expect(await state(), name).toEqual(before);
    }
  });

  test('a change whose line cannot be written is not made', async () => {
    await gateway.query(sql`alter table audit_log add constraint closed check (false) not valid`);
    for (const [name, { args }] of Object.entries(changes)) {
      const before = await state();
      await expect(run(name, args), name).rejects.toThrow(/closed/);
      expect(await state(), name).toEqual(before);
    }
    await gateway.query(sql`alter table audit_log drop constraint closed`);
  });

  test('every change writes exactly one line: who, what, before, after', async () => {
    for (const [name, { args, space, subject, before, after }] of Object.entries(changes)) {
      const [written, held] = [await lines(), await state()];
      const answer = await run(name, args);
      for (const secret of [answer.key, answer.code]) if (secret !== undefined) secrets.add(secret);
      const { audit_log: _, ...rest } = await state();
      expect(held, name).not.toMatchObject(rest);
      const now = await lines();
      expect(now.slice(0, written.length)).toEqual(written);
      const about = known.get(subject) ?? subject;
      expect(now.slice(written.length), name).toEqual([
        { actor: 'test', action: name, space, subject: about, before, after },
      ]);
    }
  });

  test('operations that read write nothing', async () => {
    for (const [name, args] of Object.entries(reads)) {
      const before = await state();
      await run(name, args);
      expect(await state(), name).toEqual(before);
    }
  });

  test('no key, password or sign-in code is in it, nor anywhere else in the database', async () => {
    // The password, three texts of keys, one code.
    expect(secrets.size).toBe(5);
    const held = JSON.stringify(await state());
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
  } finally {
    await gateway.stop();
  }
});
